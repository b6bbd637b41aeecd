import CPluginEdge
import Glibc
import Synchronization

/// A plugin's file, open for reading: a regular file at an absolute path, or the sealed copy of one.
///
/// A path may lead to anything: a FIFO on which reading never ends, a directory, a device. It is opened without
/// blocking, and all checks use the open file, not the path.
package final class PluginFile {
  /// The absolute path, symbolic links resolved.
  let path: String
  /// The identity of the file at the path, even if its copy is open.
  let identity: FileIdentity
  private(set) var descriptor: Int32

  /// The sealed copy that replaces the file at a path, in a worker.
  private static let kept = Mutex<(path: String, descriptor: Int32)?>(nil)

  init(opening path: String) throws(PluginError) {
    let kept = Self.kept.withLock { $0 }
    // For the kept copy, the path need not exist.
    self.path = path == kept?.path ? path : try Self.resolve(path)
    if let kept, kept.path == self.path {
      descriptor = fcntl(kept.descriptor, F_DUPFD_CLOEXEC, 0)
      guard descriptor >= 0 else { throw Self.error(errno, path) }
    } else {
      descriptor = try Self.open(self.path)
    }
    var status = stat()
    // Cannot fail on a descriptor that was just opened; if it did, the mode 0 would not be that of a regular file.
    fstat(descriptor, &status)
    identity = FileIdentity(status)
    try Self.checkKind(status, path)
  }

  private static func checkKind(_ status: stat, _ path: String) throws(PluginError) {
    guard status.st_mode & S_IFMT != S_IFREG else { return }
    throw PluginError(.notAFile, path, "is \(name(ofMode: status.st_mode)), expected a regular file")
  }

  deinit { close(descriptor) }

  /// Makes this sealed copy stand for the file at an absolute path without symbolic links. Keeps the descriptor.
  static func keep(_ descriptor: Int32, at path: String) { kept.withLock { $0 = (path, descriptor) } }

  /// Whether only the system can change the file, so that no copy is needed.
  var isOfSystem: Bool { SystemFile.isOne(path, descriptor) }

  /// Replaces the open file by a copy in sealed memory, which no process can change: the bytes that are verified and
  /// hashed later are those that are mapped.
  func seal() throws(PluginError) {
    guard !plugin_sealed_is(descriptor) else { return }
    guard identity.size <= Self.longest else {
      throw PluginError(
        .notReadable, path, "has \(identity.size) bytes, expected at most \(Self.longest), a quarter of the memory")
    }
    // memfd_create() allows slightly shorter names than file systems.
    let name = (path.parts(separatedBy: "/").last ?? "").utf8.prefix(200)
    let copy = plugin_sealed_copy(descriptor, String(decoding: name, as: UTF8.self))
    guard copy >= 0 else { throw failure(errno) }
    close(descriptor)
    descriptor = copy
    // The file may have been written to before it was copied.
    var status = stat()
    guard fstat(copy, &status) == 0, Int64(status.st_size) == identity.size else { throw changed }
  }

  private func failure(_ code: Int32) -> PluginError {
    switch code {
    case ESTALE: changed
    case EFBIG:
      PluginError(
        .notReadable, path,
        "has \(identity.size) bytes, more than files of this process may have (RLIMIT_FSIZE), and its sealed copy is one: "
          + "raise the limit, or install it in a folder of the system")
    default: PluginError(.notReadable, path, "cannot be copied to sealed memory: \(SystemLimit.text(code))")
    }
  }

  private var changed: PluginError {
    PluginError(.replaced, path, "changed while it was being read: load it again when it is complete")
  }

  /// The maximum size of a file that is copied: a quarter of the memory.
  package static let longest = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))) / 4

  /// Returns the absolute path, symbolic links resolved.
  static func resolve(_ path: String) throws(PluginError) -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw PluginError(.notFound, path, "is not a path: expected that of a plugin's file")
    }
    guard let resolved = realpath(path, nil) else { throw error(errno, path) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns the absolute path, symbolic links kept. A relative path starts from the current folder.
  static func absolute(_ path: String) -> String {
    guard !path.isAbsolutePath, let folder = try? resolve(".") else { return path }
    return "\(folder)/\(path)"
  }

  private static func open(_ path: String) throws(PluginError) -> Int32 {
    // Opening a device or a FIFO may have an effect.
    var status = stat()
    if stat(path, &status) == 0 { try checkKind(status, path) }
    let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw error(errno, path) }
    return descriptor
  }

  private static func error(_ code: Int32, _ path: String) -> PluginError {
    return switch code {
    case ENOENT, ENOTDIR: PluginError(.notFound, path, "no such file: expected a plugin")
    // The error of open() for a socket.
    case ENXIO: PluginError(.notAFile, path, "is a socket or a device, expected a regular file")
    default: PluginError(.notReadable, path, "cannot be opened for reading: \(SystemLimit.text(code))")
    }
  }

  private static func name(ofMode mode: mode_t) -> String {
    switch mode & S_IFMT {
    case S_IFDIR: "a directory"
    case S_IFIFO: "a FIFO"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "no regular file"
    }
  }
}

/// The identity and the state of a file.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  let size: Int64
  private let modified: Int64
  private let modifiedNanoseconds: Int64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    modified = Int64(status.st_mtim.tv_sec)
    modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
  }

  /// Whether both are the same file, even if it was written to meanwhile.
  func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}
