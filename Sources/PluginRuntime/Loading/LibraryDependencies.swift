/// The libraries that a library needs: names, and the files that the system's loader would take for them.
struct LibraryDependencies {
  /// The names, `$ORIGIN` in them not replaced.
  let names: [String]
  /// The folders that apply to the needed libraries, too, unless they have a DT_RUNPATH of their own.
  let inherited: [String]
  private let origin: OriginPath
  /// The folders in which they are looked for, in this order, before those of the system.
  private let folders: [String]

  /// - Parameters:
  ///   - library: the library that needs them.
  ///   - path: the absolute path of its file.
  ///   - inherited: the folders of DT_RPATH of the libraries that need it.
  init(of library: ELFDynamic, at path: String, inheriting inherited: [String] = []) {
    let origin = OriginPath(of: path)
    func folders(_ tag: UInt64) -> [String]? {
      library.texts(tag).first.map { $0.split(separator: ":").map(origin.expand) }
    }
    let own = folders(ELFTag.path)
    self.inherited = (own == nil ? folders(ELFTag.pathOld) ?? [] : []) + inherited
    self.folders =
      own.map { LibraryFinder.foldersOfEnvironment + $0 } ?? (self.inherited + LibraryFinder.foldersOfEnvironment)
    self.origin = origin
    names = library.texts(ELFTag.needed)
  }

  /// Returns the path of a needed library: a file, or anything else that the verifier refuses; `nil` if the folders do
  /// not have it.
  func path(of name: String) -> String? {
    let expanded = origin.expand(name[...])
    if expanded.contains("/") { return expanded }
    return [folders, LibraryFinder.foldersOfSystem].lazy.joined().map { "\($0)/\(expanded)" }
      .first(where: LibraryFinder.exists)
  }

  /// Returns the path of the library, and the paths of the libraries that it needs, directly and indirectly. Files in
  /// excluded folders are left out, with the libraries that they need; damaged files need none.
  static func closure(of path: String, outside folders: [String]) -> [String] {
    var found: [String] = []
    var pending = [(path: path, inherited: [String]())]
    while let (path, inherited) = pending.popLast() {
      guard !found.contains(path), !folders.contains(where: { path.hasPrefix("\($0)/") }) else { continue }
      found.append(path)
      guard let dependencies = try? LibraryDependencies(ofFileAt: path, inheriting: inherited) else { continue }
      pending += dependencies.names.compactMap(dependencies.path).map { ($0, dependencies.inherited) }
    }
    return found
  }

  private init(ofFileAt path: String, inheriting inherited: [String]) throws(PluginError) {
    let file = try PluginFile(opening: path)
    self.init(of: try ELFVerifier.verify(file, exporting: []).dynamic, at: file.path, inheriting: inherited)
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
}
