import Glibc

/// Atomic replacement of files: a file has either its old or its whole new content, even after a crash of the process
/// or the machine.
enum FileReplacement {
  /// Writes `bytes` to a new file beside the one at `path`, and renames it to that. A file that is not regular, such as
  /// a device or a pipe, is written to as it is, by the deadline. A link is followed. In a folder that plugins may
  /// write to, links and pipes are replaced: a plugin may have made them, and nobody may read the pipe.
  static func write(
    _ bytes: [UInt8], to path: String, by deadline: ContinuousClock.Instant? = nil
  ) throws(SystemError) {
    let place = try WritableFolders.place(of: Directory.absolute(path))
    defer { withExtendedLifetime(place) {} }
    let path = place?.path ?? Directory.absolute(path)
    umask(ProcessStart.mask)
    var information = stat()
    let follow = place == nil ? 0 : AT_SYMLINK_NOFOLLOW
    var exists = fstatat(AT_FDCWD, RawText.cString(path), &information, follow) == 0
    let kind = information.st_mode & S_IFMT
    if exists, place != nil, kind == S_IFLNK || kind == S_IFIFO {
      exists = false
    } else if exists ? kind != S_IFREG : isLink(path) {
      return try overwrite(bytes, path, place, by: deadline)
    }
    // The file that a link leads to, so that the link stays.
    let target = exists && place == nil ? Directory.resolved(path) ?? path : path
    let temporary: String
    let descriptor: Int32
    do throws(SystemError) {
      (temporary, descriptor) = try create(beside: target)
    } catch {
      // A file may be writable in a folder that accepts no new files.
      guard exists, [EACCES, EPERM, EROFS].contains(error.code) else { throw error }
      return try overwrite(bytes, path, place)
    }
    do throws(SystemError) {
      if exists {
        _ = fchown(descriptor, information.st_uid, information.st_gid)
        guard fchmod(descriptor, information.st_mode & 0o7777) == 0 else { throw SystemError.last }
      }
      try FileBytes.write(bytes, to: descriptor)
      // Without it, the new name could reach the disk before the content.
      guard fsync(descriptor) == 0 else { throw SystemError.last }
    } catch {
      close(descriptor)
      unlink(RawText.cString(temporary))
      throw error
    }
    // close() may be the first call to report a full disk.
    guard close(descriptor) == 0, rename(RawText.cString(temporary), RawText.cString(target)) == 0 else {
      let error = SystemError.last
      unlink(RawText.cString(temporary))
      throw error
    }
  }

  /// Returns the error with which `write` would fail at once, as far as that can be known; nil if there is none.
  static func obstacle(to path: String) -> Int32? {
    let path = Directory.absolute(path)
    var information = stat()
    let exists = stat(RawText.cString(path), &information) == 0
    if !exists, errno != ENOENT { return errno }
    if exists ? information.st_mode & S_IFMT == S_IFDIR : path.hasSuffix("/") { return EISDIR }
    // The file that a link leads to may be made in another folder.
    if isLink(path) { return nil }
    // A file may be writable in a folder that accepts no new files.
    if exists, access(path, for: W_OK) { return nil }
    return access(Directory.parent(of: path), for: W_OK | X_OK) ? nil : errno
  }

  private static func access(_ path: String, for rights: Int32) -> Bool {
    faccessat(AT_FDCWD, RawText.cString(path), rights, AT_EACCESS) == 0
  }

  private static func create(beside path: String) throws(SystemError) -> (path: String, descriptor: Int32) {
    let folder = Directory.parent(of: path)
    while true {
      let name = ".plugin-host-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
      let temporary = Directory.join(folder, name)
      let descriptor = open(RawText.cString(temporary), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return (temporary, descriptor) }
      guard errno == EEXIST else { throw .last }
    }
  }

  private static func overwrite(
    _ bytes: [UInt8], _ path: String, _ place: FilePlace?, by deadline: ContinuousClock.Instant? = nil
  ) throws(SystemError) {
    let descriptor = try FileBytes.openToWrite(path: path, flags: place == nil ? 0 : O_NOFOLLOW, by: deadline)
    do throws(SystemError) {
      try FileBytes.write(bytes, to: descriptor, by: deadline)
    } catch {
      close(descriptor)
      throw error
    }
    guard close(descriptor) == 0 else { throw .last }
  }

  private static func isLink(_ path: String) -> Bool {
    var information = stat()
    return lstat(RawText.cString(path), &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
  }
}
