import Glibc
import PluginRuntime

/// The kind of entry in the file system at a path.
enum FileKind {
  case missing, directory, other

  init(path: String) {
    var information = stat()
    guard stat(RawText.cString(Directory.absolute(path)), &information) == 0 else {
      self = .missing
      return
    }
    self = information.st_mode & S_IFMT == S_IFDIR ? .directory : .other
  }

  /// Whether there is an entry at a path.
  ///
  /// - Throws: the reason why a link on the path leads nowhere, such as to a volume that is not mounted: the entry is
  ///   there, and cannot be read.
  static func exists(_ path: String) throws(SystemError) -> Bool {
    var information = stat()
    var place = Directory.absolute(path)
    if stat(RawText.cString(place), &information) == 0 { return true }
    let error = SystemError.last
    while lstat(RawText.cString(place), &information) != 0 {
      let folder = Directory.parent(of: place)
      if folder == place { return false }
      place = folder
    }
    if information.st_mode & S_IFMT == S_IFLNK { throw error }
    return false
  }

  /// Whether there is a regular file at a path.
  static func isRegular(_ path: String) -> Bool {
    var information = stat()
    return stat(RawText.cString(Directory.absolute(path)), &information) == 0 && information.st_mode & S_IFMT == S_IFREG
  }
}

/// Folders of the file system.
enum Directory {
  /// Returns a path for messages, in which an empty path is visible.
  static func shown(_ path: String) -> String { path.isEmpty ? "\"\"" : path }

  /// Returns the names of the entries of the folder at `path`, sorted, without `.` and `..`.
  static func names(path: String) throws(SystemError) -> [String] {
    guard let folder = opendir(RawText.cString(path)) else { throw .last }
    defer { closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
          RawText.text(UnsafeRawBufferPointer(start: $0, count: strlen($0)))
        }
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw .last }
    return names.sorted()
  }

  /// Creates a folder that only the user can access, and its parents, unless they exist.
  static func make(_ path: String) throws(SystemError) {
    var made = path.isAbsolutePath ? "" : "."
    for component in path.parts(separatedBy: "/") {
      made += "/\(component)"
      guard mkdir(RawText.cString(made), 0o700) == 0 || errno == EEXIST else { throw .last }
    }
  }

  /// Returns the path of `name` in the folder `directory`.
  static func join(_ directory: String, _ name: String) -> String {
    let name = name.hasPrefix("./") ? String(name.dropFirst(2)) : name
    return directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }

  /// Returns the absolute path. A relative path starts from the folder in which the process was started.
  static func absolute(_ path: String) -> String {
    guard !path.isEmpty, !path.isAbsolutePath, let folder = ProcessStart.folder else { return path }
    return join(folder, path)
  }

  /// Returns the absolute path, symbolic links resolved; nil if it leads nowhere.
  static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(RawText.cString(path), nil) else { return nil }
    defer { free(resolved) }
    return RawText.text(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
  }

  /// Returns the last component of a path.
  static func name(of path: String) -> String {
    path.parts(separatedBy: "/").last ?? path
  }

  /// Returns the folder of the file at `path`.
  static func parent(of path: String) -> String {
    guard let folder = path.cut(atLast: "/")?.before else { return "." }
    return folder.isEmpty ? "/" : folder
  }
}
