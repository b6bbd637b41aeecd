import CPluginEdge

/// A library and all libraries that it needs, as far as the process has not loaded them: each verified, and each after
/// those that it needs. No code of them runs.
///
/// The system's loader would look for needed libraries by itself, and take unverified files. So each is
/// loaded before the library that needs it; then the loader finds them by name in the process.
struct LibraryDependencyOrder {
  /// One library.
  final class Member {
    let file: PluginFile
    let isOfSystem: Bool
    /// The library, if the program itself has loaded it from this file: its variables would exist twice in a copy.
    let loaded: UnsafeMutableRawPointer?
    let dependencies: LibraryDependencies
    /// The needed libraries that are members as well, with the names by which they are needed.
    fileprivate(set) var needed: [(name: String, member: Member)] = []
    fileprivate var isComplete = false
    /// The position of the next needed library to look at.
    fileprivate var next = 0

    /// Verifies a file.
    ///
    /// - Parameters:
    ///   - functions: the functions that it has to export.
    ///   - inherited: the folders that `LibraryDependencies` inherits.
    fileprivate init(
      _ file: PluginFile, exporting functions: [String], inheriting inherited: [String]
    ) throws(PluginError) {
      isOfSystem = file.isOfSystem
      loaded = isOfSystem ? nil : DescriptorPath(of: file.descriptor).flatMap { plugin_library_find($0.text) }
      if !isOfSystem, loaded == nil {
        // Before a large file of another kind is copied.
        try ELFVerifier.verifyKind(file)
        try file.seal()
      }
      let dynamic = try ELFVerifier.verify(file, exporting: functions).dynamic
      // The loader would load the filtered library as well, by name.
      guard isOfSystem || dynamic[ELFTag.filter] == nil && dynamic[ELFTag.auxiliary] == nil else {
        throw PluginError(
          .damaged, file.path,
          "is a filter of another library (DT_FILTER, DT_AUXILIARY), expected a library that is none")
      }
      self.file = file
      dependencies = LibraryDependencies(of: dynamic, at: file.path, inheriting: inherited)
    }
  }

  /// The libraries, each after those that it needs; the library itself is the last.
  private(set) var members: [Member] = []
  private var known: [FileIdentity: Member] = [:]

  init(of file: PluginFile, exporting functions: [String]) throws(PluginError) {
    let library = try Member(file, exporting: functions, inheriting: [])
    // The rule applies to this library and to those that it needs, except libraries of the system.
    try LibraryAdmission.check(file)
    known[file.identity] = library
    // Depth first, without recursion: the depth has no limit.
    var path = [library]
    while let member = path.last {
      guard member.next < member.dependencies.names.count else {
        member.isComplete = true
        members.append(path.removeLast())
        continue
      }
      let name = member.dependencies.names[member.next]
      member.next += 1
      do throws(PluginError) {
        guard let needed = try self.member(named: name, neededBy: member) else { continue }
        if needed.next == 0, !needed.isComplete { path.append(needed) }
      } catch {
        throw PluginError(error.kind, file.path, "needs \(name): \(error)")
      }
    }
  }

  /// Finds and verifies a needed library. Returns `nil` if the system's loader has it, or finds it by itself.
  private mutating func member(named name: String, neededBy member: Member) throws(PluginError) -> Member? {
    if !name.contains("$"), plugin_library_is_loaded(name) { return nil }
    guard let path = member.dependencies.path(of: name) else {
      // The system's libraries have folders that only the loader knows.
      if member.isOfSystem { return nil }
      throw PluginError(
        .loadFailed, name, "no such library in the search path of \(member.file.path) and the folders of the system")
    }
    let file = try PluginFile(opening: path)
    if let other = known[file.identity] {
      guard other.isComplete else {
        if other.isOfSystem { return nil }
        throw PluginError(
          .loadFailed, other.file.path,
          "depends on \(member.file.path), which depends on it; expected no cycle of libraries")
      }
      member.needed.append((name, other))
      return other
    }
    let needed = try Member(file, exporting: [], inheriting: member.dependencies.inherited)
    if !needed.isOfSystem { try LibraryAdmission.check(file) }
    known[file.identity] = needed
    member.needed.append((name, needed))
    return needed
  }
}
