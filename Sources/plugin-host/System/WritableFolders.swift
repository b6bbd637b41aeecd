import Glibc
import PluginRuntime
import Synchronization

/// The folders that plugins in worker processes may write to, by the capability `write=PATH`.
///
/// Such a plugin can put a symbolic link there, in this run or an earlier one. This process has more rights than the
/// plugin, so it follows no link out of these folders: otherwise it would read and write files for the plugin that the
/// plugin may not. Paths that do not pass through these folders are none of the plugin's.
enum WritableFolders {
  /// Their paths, without links.
  private static let paths = Mutex<[String]>([])
  /// The paths of capabilities, as links led from them when they were first used; and those that are to be checked.
  private static let targets = Mutex<(known: [String: String], unchecked: [String])>(([:], []))

  /// Adds the folders of a plugin. Call before any code of the plugin runs.
  static func add(_ capabilities: Capabilities) {
    var capabilities = capabilities
    resolvePaths(of: &capabilities)
    for folder in capabilities.writes { paths.withLock { if !$0.contains(folder) { $0.append(folder) } } }
  }

  /// Replaces the paths by those that links led to when the paths were first used: a plugin changes neither its rights
  /// nor those of another by a link that it makes.
  static func resolvePaths(of capabilities: inout Capabilities) {
    capabilities.resolvePaths { path in
      let path = Directory.absolute(path)
      return targets.withLock { targets in
        if let known = targets.known[path] { return known }
        guard let target = Directory.resolved(path) else { return nil }
        targets.known[path] = target
        targets.unchecked.append(path)
        return target
      }
    }
  }

  /// Checks that no path of a capability leads out of such a folder by a link: a plugin may have made it in an earlier
  /// run. Call after `add`, before any code of the plugins runs.
  static func checkPaths() throws(Failure) {
    let unchecked = targets.withLock { targets in
      defer { targets.unchecked = [] }
      return targets.unchecked
    }
    for path in unchecked {
      do throws(SystemError) {
        _ = try place(of: path, followsLast: true)
      } catch {
        throw Failure(.notLoaded, "a capability for \(path.displayLine): \(error)")
      }
    }
  }

  /// Opens the folder of the file at `path`, if the path leads through a folder of a plugin; returns nil if not.
  ///
  /// - Parameter followsLast: whether a link at the file's name in such a folder is followed, to another file there.
  /// - Throws: `SystemError`; that of a link out of the folders if one is on the path.
  static func place(of path: String, followsLast: Bool = false) throws(SystemError) -> FilePlace? {
    let paths = paths.withLock { $0 }
    guard !paths.isEmpty else { return nil }
    var walk = try PathWalk(path, paths)
    return try walk.place(followsLast)
  }
}

/// The place of a file in a folder that is kept open. A change of the folder's path has no effect on it.
final class FilePlace: Sendable {
  let folder: Int32
  private let name: String

  /// Takes the descriptor.
  fileprivate init(_ folder: Int32, _ name: String) { (self.folder, self.name) = (folder, name) }

  deinit { close(folder) }

  /// A path that leads to the file by the descriptor, while this object lives.
  var path: String { "/proc/self/fd/\(folder)/\(name)" }

  /// Opens the file, but no link.
  func open(_ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Int32 {
    let descriptor = openat(folder, RawText.cString(name), flags | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw .last }
    return descriptor
  }

  /// Opens the file to write to, empty. A link or a pipe at its name is replaced by a new file.
  func openNew() throws(SystemError) -> Int32 {
    do throws(SystemError) {
      // A pipe without a reader is not waited for.
      let descriptor = try open(O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, mode: 0o666)
      var information = stat()
      if fstat(descriptor, &information) == 0, information.st_mode & S_IFMT != S_IFIFO {
        _ = fcntl(descriptor, F_SETFL, 0)
        return descriptor
      }
      close(descriptor)
    } catch {
      guard error.code == ELOOP || error.code == ENXIO else { throw error }
      var information = stat()
      guard fstatat(folder, RawText.cString(name), &information, AT_SYMLINK_NOFOLLOW) == 0,
        [S_IFLNK, S_IFIFO].contains(information.st_mode & S_IFMT)
      else { throw error }
    }
    guard unlinkat(folder, RawText.cString(name), 0) == 0 else { throw .last }
    return try open(O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
  }
}

/// The flag of open() for a descriptor that only names a file, which Glibc's module lacks.
private let openPathOnly: Int32 = 0o10000000

/// A walk along a path, one component after the other, as the kernel does it, which notes the links that a plugin may
/// have made.
private struct PathWalk: ~Copyable {
  private let paths: [String]
  /// The components that follow, the last first.
  private var rest: [String]
  private var folder: Int32
  /// Whether the path has entered a folder of a plugin.
  private var hasEntered = false
  /// The folders in which a link was followed. The path must end within each: a plugin that may write to one of them
  /// must not reach the folder of another plugin either.
  private var bounds: [String] = []

  init(_ path: String, _ paths: [String]) throws(SystemError) {
    self.paths = paths
    rest = Self.components(path)
    folder = open(path.isAbsolutePath ? "/" : ".", openPathOnly | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw .last }
  }

  deinit { close(folder) }

  mutating func place(_ followsLast: Bool) throws(SystemError) -> FilePlace? {
    var links = 0
    while let component = rest.popLast() {
      guard let here = Self.text(AT_FDCWD, "/proc/self/fd/\(folder)") else { throw .last }
      let around = paths.filter { here.isPath(in: $0) }
      hasEntered = hasEntered || !around.isEmpty
      let isInProc = here.isPath(in: "/proc")
      let isReplaced = rest.isEmpty && !around.isEmpty && !followsLast
      // A link of /proc leads to an open file; its text may be no path.
      if !isReplaced, !isInProc, let link = Self.text(folder, component) {
        links += 1
        guard links <= 40 else { throw SystemError(code: ELOOP) }
        bounds += around
        rest += Self.components(link)
        if link.isAbsolutePath { try enter("/", O_NOFOLLOW) }
      } else if rest.isEmpty {
        guard bounds.allSatisfy(around.contains) else { throw .linkOut }
        return hasEntered ? try place(named: component) : nil
      } else {
        // A link that takes the component's place now is not followed.
        try enter(component, isInProc ? 0 : O_NOFOLLOW)
      }
    }
    // The root, or an empty path.
    return nil
  }

  private func place(named name: String) throws(SystemError) -> FilePlace {
    let copy = fcntl(folder, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw .last }
    return FilePlace(copy, name)
  }

  private static func components(_ path: String) -> [String] {
    // A path that ends with a slash names a folder.
    (path.hasSuffix("/") ? path + "." : path).parts(separatedBy: "/").reversed()
  }

  private mutating func enter(_ name: String, _ flags: Int32) throws(SystemError) {
    let next = openat(folder, RawText.cString(name), openPathOnly | O_DIRECTORY | O_CLOEXEC | flags)
    guard next >= 0 else { throw .last }
    close(folder)
    folder = next
  }

  /// Returns the content of a link; nil for another kind of file.
  private static func text(_ folder: Int32, _ name: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(folder, RawText.cString(name), &bytes, bytes.count)
    return count > 0 ? RawText.text(bytes.prefix(count).map(UInt8.init(bitPattern:))) : nil
  }
}
