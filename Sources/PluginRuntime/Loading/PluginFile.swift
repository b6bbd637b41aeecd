import Glibc

/// A plugin's file, open for reading: a regular file at an absolute path.
///
/// A path may lead to anything: a FIFO on which reading never ends, a directory, a device. It is opened such that
/// nothing blocks, and the open file is looked at, not the path again.
final class PluginFile {
  /// The absolute path, symbolic links resolved.
  let path: String
  let identity: FileIdentity
  let descriptor: Int32

  init(opening path: String) throws(PluginError) {
    self.path = try Self.resolve(path)
    descriptor = try Self.open(self.path)
    var status = stat()
    // Cannot fail on a descriptor that was just opened; if it did, the mode would be no regular file's.
    fstat(descriptor, &status)
    identity = FileIdentity(status)
    if status.st_mode & S_IFMT != S_IFREG {
      throw PluginError(.notAFile, path, "is \(Self.name(ofMode: status.st_mode)), expected a regular file")
    }
  }

  deinit { close(descriptor) }

  /// Whether nobody has written to it since it was opened, as far as its size and time of modification say.
  var isUnchanged: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && FileIdentity(status) == identity
  }

  /// The absolute path, symbolic links resolved.
  static func resolve(_ path: String) throws(PluginError) -> String {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw PluginError(.notFound, path, "is no path: expected that of a plugin's file")
    }
    guard let resolved = realpath(path, nil) else { throw error(errno, path) }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func open(_ path: String) throws(PluginError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw error(errno, path) }
    return descriptor
  }

  private static func error(_ code: Int32, _ path: String) -> PluginError {
    let reason = String(cString: strerror(code))
    return switch code {
    case ENOENT, ENOTDIR: PluginError(.notFound, path, "no such file: expected a plugin")
    // The error of open() for a socket.
    case ENXIO: PluginError(.notAFile, path, "is a socket or a device, expected a regular file")
    default: PluginError(.notReadable, path, "cannot be opened for reading: \(reason)")
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

/// The identity and the state of the file.
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

  /// Whether it is the same file, even if it was written to meanwhile.
  func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}
