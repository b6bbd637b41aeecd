/// The libraries that a library needs: names, and the files that the system's loader would take for them.
struct LibraryDependencies {
  /// The names, `$ORIGIN` in them not replaced.
  let names: [String]
  /// The folders that apply to the needed libraries, too, unless they have a DT_RUNPATH of their own.
  let inherited: [String]
  private let origin: OriginPath
  /// The folders to search for the needed libraries, in this order, before those of the system.
  private let folders: [String]
  private let libraryPath: String
  private let budget: VerificationBudget

  /// - Parameters:
  ///   - library: the library that needs them.
  ///   - path: the absolute path of its file.
  ///   - inherited: the folders of DT_RPATH of the libraries that need it.
  ///   - budget: counts the folders, and the searches in them.
  init(
    of library: ELFDynamic, at path: String, inheriting inherited: [String] = [], within budget: VerificationBudget
  ) throws(PluginError) {
    let origin = OriginPath(of: path)
    func folders(_ tag: UInt64) -> [String]? {
      library.texts(tag).first.map { $0.split(separator: ":").map(origin.expand) }
    }
    let own = folders(ELFTag.path)
    self.inherited = (own == nil ? folders(ELFTag.pathOld) ?? [] : []) + inherited
    self.folders =
      own.map { LibraryFinder.foldersOfEnvironment + $0 } ?? (self.inherited + LibraryFinder.foldersOfEnvironment)
    self.origin = origin
    self.budget = budget
    libraryPath = path
    names = library.texts(ELFTag.needed)
    let size = self.folders.reduce(0) { $0 + MemoryLayout<String>.size + $1.utf8.count }
    guard budget.spend(UInt64(size)) else { throw budget.error(path) }
  }

  /// Returns the path of a needed library: a file, or anything else that the verifier refuses; `nil` if the folders do
  /// not have it.
  func path(of name: String) throws(PluginError) -> String? {
    let expanded = origin.expand(name[...])
    guard budget.spend(UInt64(expanded.utf8.count)) else { throw budget.error(libraryPath) }
    if expanded.isPath { return expanded }
    if let path = try find(expanded, in: folders) { return path }
    return try find(expanded, in: budget.foldersOfSystem)
  }

  private func find(_ name: String, in folders: [String]) throws(PluginError) -> String? {
    for folder in folders {
      let path = "\(folder)/\(name)"
      guard budget.spend(VerificationBudget.call + UInt64(path.utf8.count)) else { throw budget.error(libraryPath) }
      if LibraryFinder.exists(path) { return path }
    }
    return nil
  }

  /// Returns the path of the library, and the paths of the libraries that it needs, directly and indirectly. Files in
  /// excluded folders are left out, with the libraries that they need; damaged files need none. Fails if there are so
  /// many libraries, or tables in them, that they take too much work: the list would not be complete.
  static func closure(
    of path: String, outside folders: [String], within budget: VerificationBudget = VerificationBudget()
  ) throws(PluginError) -> [String] {
    let (found, error) = search(for: path, outside: folders, within: budget)
    if let error { throw error }
    return found
  }

  /// Returns the closure, or, with an error, the part of it that was found before the budget was spent.
  static func search(
    for path: String, outside folders: [String], within budget: VerificationBudget = VerificationBudget()
  ) -> (found: [String], error: PluginError?) {
    var found: [String] = []
    // By bytes: the names of two files can be equal strings.
    var isFound: Set<[UInt8]> = []
    var pending = [(path: path, inherited: [String]())]
    while let (path, inherited) = pending.popLast() {
      guard !folders.contains(where: { path.isPath(below: $0) }), isFound.insert(Array(path.utf8)).inserted
      else { continue }
      found.append(path)
      do throws(PluginError) {
        let dependencies = try LibraryDependencies(ofFileAt: path, inheriting: inherited, within: budget)
        for name in dependencies.names {
          if let needed = try dependencies.path(of: name) { pending.append((needed, dependencies.inherited)) }
        }
      } catch {
        guard budget.isSpent else { continue }
        let rest = Set(pending.map(\.path)).subtracting(found)
        return (found + rest, path == found[0] ? error : PluginError(error.kind, found[0], "needs \(error)"))
      }
    }
    return (found, nil)
  }

  private init(
    ofFileAt path: String, inheriting inherited: [String], within budget: VerificationBudget
  ) throws(PluginError) {
    let file = try PluginFile(opening: path)
    let tables = try ELFVerifier.verify(file, exporting: [], within: budget)
    try self.init(of: tables.dynamic, at: file.path, inheriting: inherited, within: budget)
  }
}

/// The value of $ORIGIN in the search paths of a library: the folder of its file.
struct OriginPath {
  private let folder: String

  init(of path: String) {
    folder = path.cut(atLast: "/")?.before ?? "."
  }

  func expand(_ path: Substring) -> String {
    guard path.utf8.contains(UInt8(ascii: "$")) else { return String(path) }
    return ["${ORIGIN}", "$ORIGIN"].reduce(String(path)) { $0.replacing($1, with: folder) }
  }
}
