import Glibc

/// The entries of folders that decide which file a path leads to: each folder and each symbolic link on the way, then
/// the file, or the first entry that is missing.
enum PathEntries {
  struct Entry: Hashable {
    /// The absolute path, without symbolic links.
    let folder: String
    let name: String

    var path: String { folder == "/" ? "/\(name)" : "\(folder)/\(name)" }

    /// Whether a folder is there, and no link to one.
    var isFolder: Bool {
      var status = stat()
      return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
  }

  /// Returns the entries of an absolute path, as it leads now.
  static func of(_ path: String) -> [Entry] {
    var pending = parts(of: path)
    var folder = "/"
    var links = 0
    var entries: [Entry] = []
    while let part = pending.popLast() {
      if part == ".." { folder = parent(of: folder) }
      if part == "." || part == ".." { continue }
      let entry = Entry(folder: folder, name: part)
      entries.append(entry)
      if let target = target(of: entry.path) {
        links += 1
        guard links <= mostLinks else { return entries }
        if target.isAbsolutePath { folder = "/" }
        pending += parts(of: target)
      } else if pending.isEmpty || access(entry.path, F_OK) != 0 {
        return entries
      } else {
        folder = entry.path
      }
    }
    return entries
  }

  /// The number of links that the kernel follows.
  private static let mostLinks = 40

  /// Returns the names on a path, the last first.
  private static func parts(of path: String) -> [String] { path.parts(separatedBy: "/").reversed() }

  private static func parent(of folder: String) -> String {
    guard let parent = folder.cut(atLast: "/")?.before, !parent.isEmpty else { return "/" }
    return parent
  }

  private static func target(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(link, &buffer, buffer.count)
    return length > 0 ? String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }
}
