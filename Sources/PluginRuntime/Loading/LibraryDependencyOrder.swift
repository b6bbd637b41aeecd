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
    /// The name by which libraries need it (DT_SONAME).
    fileprivate let name: String?
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
    ///   - budget: counts the work for all members.
    fileprivate init(
      _ file: PluginFile, exporting functions: [String], inheriting inherited: [String],
      within budget: VerificationBudget
    ) throws(PluginError) {
      isOfSystem = file.isOfSystem
      loaded = isOfSystem ? nil : DescriptorPath(of: file.descriptor).flatMap { plugin_library_find($0.text) }
      if !isOfSystem, loaded == nil {
        // Before a large file of another kind is copied.
        try ELFVerifier.verifyKind(file)
        try budget.copy(file)
        try file.seal()
      }
      let dynamic = try ELFVerifier.verify(file, exporting: functions, within: budget).dynamic
      // The loader would load the filtered library as well, by name.
      guard isOfSystem || dynamic[ELFTag.filter] == nil && dynamic[ELFTag.auxiliary] == nil else {
        throw PluginError(
          .damaged, file.path,
          "is a filter of another library (DT_FILTER, DT_AUXILIARY), expected a library that is none")
      }
      self.file = file
      name = dynamic.texts(ELFTag.name).first
      dependencies = try LibraryDependencies(of: dynamic, at: file.path, inheriting: inherited, within: budget)
    }
  }

  /// The libraries, each after those that it needs; the library itself is the last.
  private(set) var members: [Member] = []
  private var known: [FileIdentity: Member] = [:]
  /// The members that the system's loader finds by a name: the first of those that have it.
  private var owners: [String: Member] = [:]
  private let loaded: LoadedFiles
  private let budget: VerificationBudget

  /// - Parameters:
  ///   - functions: the functions that the library has to export.
  ///   - loaded: the libraries that the process has loaded before.
  init(
    of file: PluginFile, exporting functions: [String], in loaded: LoadedFiles,
    within budget: VerificationBudget = VerificationBudget()
  ) throws(PluginError) {
    self.loaded = loaded
    self.budget = budget
    let library = try Member(file, exporting: functions, inheriting: [], within: budget)
    // The rule applies to this library and to those that it needs, except libraries of the system.
    try LibraryAdmission.check(file)
    known[file.identity] = library
    // Depth first, without recursion: the depth has no limit.
    var path = [library]
    while let member = path.last {
      guard member.next < member.dependencies.names.count else {
        member.isComplete = true
        try append(path.removeLast())
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

  /// Appends a library, after those that it needs. Several files may have one DT_SONAME, but the system's loader takes
  /// the first of them for each library that asks for that name. A library of the system may stand for another file, as
  /// one does that the process has loaded before.
  private mutating func append(_ member: Member) throws(PluginError) {
    for (name, needed) in member.needed where !name.contains("$") {
      // A name that no library has is given to the needed one.
      let owner = owners[name] ?? needed
      guard owner === needed || owner.isOfSystem else {
        throw PluginError(
          .loadFailed, member.file.path,
          "needs \(needed.file.path) as \(name), which is also the name (DT_SONAME) of \(owner.file.path), another "
            + "library that is loaded before it; expected one library of that name")
      }
      owners[name] = owner
    }
    if let name = member.name, owners[name] == nil { owners[name] = member }
    members.append(member)
  }

  /// Finds and verifies a needed library. Returns `nil` if the system's loader has it, or finds it by itself.
  private mutating func member(named name: String, neededBy member: Member) throws(PluginError) -> Member? {
    let taken = name.contains("$") ? nil : plugin_library_named(name)
    // The path of the plugin's library that has the name.
    let other = taken.flatMap { loaded.path(ofLibraryAt: $0) }
    if taken != nil, other == nil { return nil }
    guard let path = try member.dependencies.path(of: name) else {
      // The system's libraries have folders that only the loader knows.
      if member.isOfSystem, other == nil { return nil }
      throw PluginError(
        .loadFailed, name, "no such library in the search path of \(member.file.path) and the folders of the system")
    }
    let file = try PluginFile(opening: path)
    if let taken, let other {
      // The system's loader takes the library of this name, whichever file is verified here.
      guard let handle = try loaded.handle(of: file), plugin_library_address(handle) == taken else {
        throw PluginError(
          .loadFailed, file.path,
          "is another file than \(other), which this process has loaded under that name; plugins with different "
            + "libraries of one name need processes of their own")
      }
      return nil
    }
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
    let needed = try Member(file, exporting: [], inheriting: member.dependencies.inherited, within: budget)
    if !needed.isOfSystem { try LibraryAdmission.check(file) }
    known[file.identity] = needed
    member.needed.append((name, needed))
    return needed
  }
}
