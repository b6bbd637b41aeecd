import Glibc

/// A file for another program to read, in `TMPDIR`, which only this user can open.
struct TemporaryFile {
  let path: String

  /// Creates a file with that content.
  init(_ content: String) throws(Failure) {
    let folder = Environment["TMPDIR"] ?? "/tmp"
    var template = RawText.cString(Directory.join(folder, "plugin-host-XXXXXX"))
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw Failure(.rejected, "\(folder): \(SystemError.last)") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    defer { close(descriptor) }
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    do {
      try FileBytes.write(content.utf8, to: descriptor)
    } catch {
      unlink(path)
      throw Failure(.rejected, "\(path): \(error)")
    }
  }

  func remove() { unlink(path) }
}
