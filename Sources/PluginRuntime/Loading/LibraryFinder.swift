import CPluginEdge
import Glibc

/// Finds a shared library by its name, in the folders where the system's loader would: the file has to be verified
/// before the loader sees it, and the loader does not report in advance which file it uses.
enum LibraryFinder {
  /// Returns the path of a library. A name with a slash in it is a path already.
  static func path(of name: String) throws(PluginError) -> String {
    if name.isPath { return name }
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw PluginError(.notFound, name, "is not the name of a library: expected a path, or a name such as libz.so.1")
    }
    let folders = Self.folders
    for folder in folders {
      let path = "\(folder)/\(name)"
      if isLibrary(path) { return path }
    }
    // Out of descriptors, the search would find nothing: it skips files that cannot be opened.
    // Not a file, which a worker may have no right to open.
    let descriptor = plugin_process_new_event()
    guard descriptor >= 0 else {
      throw PluginError(.notReadable, name, "cannot be looked for: \(SystemLimit.text(errno))")
    }
    close(descriptor)
    let near = folders.lazy.flatMap { similar(to: name, in: $0) }.first
    let hint = near.map { "; there is \($0)" } ?? ""
    throw PluginError(.notFound, name, "no such library in the folders of the system's loader\(hint)")
  }

  /// Whether the system's loader would stop its search at this path, to load the file or to fail. It skips missing
  /// files, and libraries for other machines.
  static func exists(_ path: String) -> Bool {
    guard access(path, F_OK) == 0 else { return false }
    guard let file = try? PluginFile(opening: path) else { return true }
    let reader = FileReader(file)
    return reader.bytes(at: 0, count: ELF.headerSize).map(isOfThisMachine) ?? true
  }

  /// LD_LIBRARY_PATH, then the folders of the system.
  static var folders: [String] { foldersOfEnvironment + foldersOfSystem }

  /// LD_LIBRARY_PATH, which a process with more rights than its user's ignores.
  static var foldersOfEnvironment: [String] {
    guard !plugin_process_is_privileged(), let value = getenv("LD_LIBRARY_PATH") else { return [] }
    return String(cString: value).split(whereSeparator: { $0 == ":" || $0 == ";" }).map(String.init)
  }

  /// The folders of /etc/ld.so.conf, then the loader's defaults.
  static var foldersOfSystem: [String] {
    var folders: [String] = []
    var pending = ["/etc/ld.so.conf"]
    var seen: Set<String> = []
    while let file = pending.popLast() {
      guard seen.insert(file).inserted, let text = contents(of: file) else { continue }
      for line in text.split(whereSeparator: \.isNewline) {
        let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).map(String.init)
        if words.first == "include" {
          pending += words.dropFirst().flatMap(files(matching:)).reversed()
        } else if let folder = words.first, folder.isAbsolutePath {
          folders.append(folder)
        }
      }
    }
    return folders + ["/lib64", "/usr/lib64", "/lib", "/usr/lib"]
  }

  /// Whether the file is a library for this machine. Folders may also contain libraries for other machines, and linker
  /// scripts.
  private static func isLibrary(_ path: String) -> Bool {
    guard let file = try? PluginFile(opening: path) else { return false }
    let reader = FileReader(file)
    guard let header = reader.bytes(at: 0, count: ELF.headerSize) else { return false }
    return isOfThisMachine(header)
  }

  private static func isOfThisMachine(_ header: [UInt8]) -> Bool {
    header.starts(with: ELF.magic + [2, 1])
      && FileReader.number(header, at: 18, as: UInt16.self) == ELF.hostMachine
  }

  /// Returns libraries of the same name with another version, or with one: libz.so.1 for libz, z or libz.so.
  private static func similar(to name: String, in folder: String) -> [String] {
    let stem = name.firstRange(of: ".so").map { String(name[..<$0.lowerBound]) } ?? name
    let prefix = stem.hasPrefix("lib") ? stem : "lib\(stem)"
    return files(matching: "\(folder)/\(prefix).so.*").filter(isLibrary)
      .map { $0.parts(separatedBy: "/").last ?? "" }
  }

  private static func files(matching pattern: String) -> [String] {
    var result = glob_t()
    defer { globfree(&result) }
    guard glob(pattern, 0, nil, &result) == 0 else { return [] }
    return (0..<Int(result.gl_pathc)).compactMap { result.gl_pathv[$0].map { String(cString: $0) } }
  }

  private static func contents(of path: String) -> String? {
    guard let file = try? PluginFile(opening: path) else { return nil }
    let reader = FileReader(file)
    // Reads at most 1 MiB: a list of folders is short.
    let size = min(Int(file.identity.size), 1 << 20)
    return reader.bytes(at: 0, count: size).map { String(decoding: $0, as: UTF8.self) }
  }
}
