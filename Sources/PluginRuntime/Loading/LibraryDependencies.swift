import CPluginEdge
import Synchronization

/// Verifies the libraries that a library needs, and those that they need, before the system's loader opens them: a FIFO
/// would hang it, and a truncated file end the process.
///
/// A library that only the system's loader finds, by its cache or in a folder for some processors, is not verified.
struct LibraryDependencies {
  /// Libraries that were verified before, or are in the process.
  private static let verified = Mutex<Set<FileIdentity>>([])

  static func verify(of library: ELFDynamic, at path: String) throws(PluginError) {
    // Breadth first: their depth has no limit.
    var pending = names(library, path)
    var seen: Set<String> = []
    while let (name, folders) = pending.popLast() {
      guard seen.insert(name).inserted, !plugin_library_is_loaded(name), let found = find(name, folders) else {
        continue
      }
      let file: PluginFile
      let dynamic: ELFDynamic
      do throws(PluginError) {
        file = try PluginFile(opening: found)
        if verified.withLock({ $0.contains(file.identity) }) { continue }
        dynamic = try ELFVerifier.verify(file, exporting: []).dynamic
      } catch {
        throw PluginError(error.kind, path, "needs \(name): \(error)")
      }
      verified.withLock { _ = $0.insert(file.identity) }
      pending += names(dynamic, file.path)
    }
  }

  /// The paths at which the libraries are looked for that the one at `path` needs itself: files, or anything else that
  /// the verifier refuses.
  static func paths(neededBy path: String) throws(PluginError) -> [String] {
    let file = try PluginFile(opening: path)
    let dynamic = try ELFVerifier.verify(file, exporting: []).dynamic
    return names(dynamic, file.path).compactMap { find($0.name, $0.folders) }
  }

  /// The files of the libraries that the one at `path` needs itself, as far as they are found.
  static func files(neededBy path: String) throws(PluginError) -> [String] {
    let file = try PluginFile(opening: path)
    let dynamic = try ELFVerifier.verify(file, exporting: []).dynamic
    return names(dynamic, file.path).compactMap { name, folders in
      find(name, folders).flatMap { found in (try? PluginFile(opening: found))?.path }
    }
  }

  /// The libraries that a library needs, each with the folders that are searched first.
  private static func names(_ library: ELFDynamic, _ path: String) -> [(name: String, folders: [String])] {
    let origin = OriginPath(of: path)
    let folders = (OriginPath.searchPath(of: library) ?? "").split(separator: ":").map(origin.expand)
    return library.texts(ELFTag.needed).map { (origin.expand($0[...]), folders) }
  }

  private static func find(_ name: String, _ folders: [String]) -> String? {
    if name.contains("/") { return name }
    return [folders, LibraryFinder.folders].lazy.joined().map { "\($0)/\(name)" }.first(where: LibraryFinder.exists)
  }
}

/// The value of $ORIGIN in the search paths of a library: the folder of its file.
struct OriginPath {
  private let folder: String

  init(of path: String) {
    folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  func expand(_ path: Substring) -> String {
    ["${ORIGIN}", "$ORIGIN"].reduce(String(path)) { $0.replacing($1, with: folder) }
  }

  /// The folders in which a library's own libraries are looked for first.
  static func searchPath(of library: ELFDynamic) -> String? {
    library.texts(ELFTag.path).first ?? library.texts(ELFTag.pathOld).first
  }

  /// Whether the loader has to know the folder of the library.
  static func isUsed(by library: ELFDynamic) -> Bool {
    ([searchPath(of: library) ?? ""] + library.texts(ELFTag.needed)).contains {
      $0.contains("$ORIGIN") || $0.contains("${ORIGIN}")
    }
  }
}
