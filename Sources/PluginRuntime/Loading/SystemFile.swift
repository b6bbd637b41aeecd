import Glibc

/// Files of the system's software, which only root can change. They are mapped as they are: processes share their
/// memory, and the loader finds further libraries beside them.
enum SystemFile {
  /// The folders for software that a system installs.
  private static let folders = ["/usr", "/opt", "/lib", "/lib32", "/lib64"]

  /// Whether an open file is a system file: the file and each folder on its path belong to root, and only root may
  /// write to them.
  ///
  /// - Parameters:
  ///   - path: the absolute path of the file, without symbolic links.
  ///   - descriptor: the file itself, which must still be at the path.
  static func isOne(_ path: String, _ descriptor: Int32, in folders: [String] = Self.folders) -> Bool {
    guard folders.contains(where: { path.isPath(below: $0) }) else { return false }
    var (here, open) = (stat(), stat())
    guard fstat(descriptor, &open) == 0, lstat(path, &here) == 0, here.st_dev == open.st_dev, here.st_ino == open.st_ino
    else { return false }
    // The file, then each folder on its path.
    var place = path
    while true {
      guard lstat(place.isEmpty ? "/" : place, &here) == 0, here.st_uid == 0,
        here.st_mode & (S_IWGRP | S_IWOTH) == 0, here.st_mode & S_IFMT != S_IFLNK
      else { return false }
      guard let (folder, _) = place.cut(atLast: "/") else { return true }
      place = folder
    }
  }
}
