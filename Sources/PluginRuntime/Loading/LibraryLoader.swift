import CPluginEdge
import Glibc
import Synchronization

/// Maps libraries that were verified, after the libraries that they need.
enum LibraryLoader {
  /// Held while a library is verified and mapped, because this changes names in the list of the system's loader.
  /// Initialisers run with the lock held, as they do with that of the system's loader, and may load libraries.
  private static let lock = RecursiveLock()
  // Used with the lock held.
  private static nonisolated(unsafe) var loaded = LoadedFiles()
  /// Runs once, before this process maps the first library, with the paths of the system's files that will be mapped.
  /// All checks of the files, and the rules for them (`LibraryAdmission`), are passed, all files but the system's are
  /// open, and no code of them has run.
  static let willMap = Mutex<(@Sendable ([String]) -> Void)?>(nil)

  /// Verifies a file and those that it needs, and maps them.
  static func load(_ file: PluginFile, exporting functions: [String]) throws(PluginError) -> UnsafeMutableRawPointer {
    try lock.withLock { () throws(PluginError) in
      let order = try LibraryDependencyOrder(of: file, exporting: functions, in: loaded)
      willMap.withLock { $0.take() }?(order.members.filter(\.isOfSystem).map(\.file.path))
      var handles: [FileIdentity: UnsafeMutableRawPointer] = [:]
      for member in order.members {
        do throws(PluginError) {
          handles[member.file.identity] = try handle(of: member, handles)
        } catch {
          if member.file === file { throw error }
          throw PluginError(error.kind, file.path, "needs \(member.file.path): \(error)")
        }
      }
      guard let handle = handles[file.identity] else { preconditionFailure("an order without the library itself") }
      return handle
    }
  }

  private static func handle(
    of member: LibraryDependencyOrder.Member, _ handles: [FileIdentity: UnsafeMutableRawPointer]
  ) throws(PluginError) -> UnsafeMutableRawPointer {
    let file = member.file
    if let handle = try loaded.handle(of: file) ?? member.loaded { return handle }
    guard let descriptor = DescriptorPath(of: file.descriptor) else {
      throw PluginError(
        .loadFailed, file.path, "cannot be loaded: it is opened by a path in /proc, which is not mounted: mount it")
    }
    let name = member.isOfSystem ? file.path : descriptor.text
    try nameLibraries(neededBy: member, handles, OriginPath(of: name))
    let handle = try map(file, name)
    loaded.add(file, isOfSystem: member.isOfSystem, handle)
    try check(handle, file)
    plugin_library_rename(handle, file.path)
    return handle
  }

  /// Gives the needed libraries the names by which a library needs them, where their own names differ: the system's
  /// loader would look for files of those names. The names stay, because the loader looks for them again whenever
  /// another library needs this one.
  private static func nameLibraries(
    neededBy member: LibraryDependencyOrder.Member, _ handles: [FileIdentity: UnsafeMutableRawPointer],
    _ origin: OriginPath
  ) throws(PluginError) {
    for (name, needed) in member.needed {
      let asked = origin.expand(name[...])
      guard plugin_library_named(asked) == nil, let handle = handles[needed.file.identity] else { continue }
      guard loaded.addName(of: needed.file) else {
        throw PluginError(
          .loadFailed, needed.file.path,
          "is needed by \(member.file.path) as '\(name)', and was needed by another name before; expected its "
            + "DT_SONAME or one name")
      }
      plugin_library_rename(handle, asked)
    }
  }

  private static func map(_ file: PluginFile, _ name: String) throws(PluginError) -> UnsafeMutableRawPointer {
    var streams = plugin_streams_save()
    let (handle, fault) = CallEdge.map(file.path, name)
    let hasChanged = plugin_streams_restore(&streams)
    if let fault { throw fault.error(file.path, of: "an initialiser ") }
    guard !hasChanged else {
      throw PluginError(
        .loadFailed, file.path,
        "closed or replaced standard streams of this process in its initialisers; they are restored, but other "
          + "descriptors may be missing: restart the process")
    }
    if let handle { return handle }
    throw PluginError(.loadFailed, file.path, "cannot be loaded: \(error.replacing(name, with: file.path))")
  }

  /// Checks that the loader mapped the file that was verified.
  private static func check(_ handle: UnsafeMutableRawPointer, _ file: PluginFile) throws(PluginError) {
    var (mapped, verified) = (plugin_mapping_t(), plugin_mapping_t())
    errno = 0
    let isKnown =
      plugin_mapping_at(plugin_library_address(handle), &mapped) && plugin_mapping_of(file.descriptor, &verified)
    // Initialisers may have lowered the limit on descriptors.
    guard isKnown || errno != EMFILE else {
      throw PluginError(
        .loadFailed, file.path,
        "cannot be compared with the file that the system's loader has mapped for it: \(SystemLimit.text(EMFILE))")
    }
    guard isKnown, mapped.device == verified.device, mapped.inode == verified.inode else {
      throw PluginError(
        .replaced, file.path,
        "is not the file that the system's loader has loaded for it: a library of the same name is another file")
    }
  }

  /// The reason that the system's loader gave for its last refusal.
  static var error: String {
    let text = dlerror().map { String(cString: $0) } ?? "the system's loader does not say why"
    return text.hasSuffix(String(cString: strerror(EMFILE))) ? "\(text): \(SystemLimit.descriptors)" : text
  }
}
