import Glibc

/// The exported symbols of a shared library, read from its file; nothing of it is mapped.
public struct LibraryExports {
  /// The absolute path of its file, symbolic links resolved.
  public let path: String
  private let own: Exports
  /// The symbols of the libraries that it links, directly and indirectly. Damaged libraries are left out.
  private let linked: [Exports]

  /// Whether none of the libraries that it links is damaged.
  private let isComplete: Bool

  /// Verifies a library, given by its path, or by a name that is searched for as the system's loader does.
  public init(of library: String) throws(PluginError) {
    own = try Exports(of: LibraryFinder.path(of: library))
    path = own.path
    let needed = try LibraryDependencies.closure(of: path, outside: []).dropFirst()
    linked = needed.compactMap { try? Exports(of: $0) }
    isComplete = linked.count == needed.count
  }

  /// Whether the library exports a function under this name.
  public func contains(_ name: String) -> Bool { own.contains(name) }

  /// Whether the library exports a function under this name, or one that it links does.
  public func provides(_ name: String) -> Bool { own.contains(name) || linked.contains { $0.contains(name) } }

  /// The symbols that the library needs, and that neither a library that it links nor this process defines: it cannot
  /// be loaded. Empty if one of these libraries is damaged.
  public var missing: [String] {
    guard isComplete else { return [] }
    return own.tables.needed.filter { name in
      !linked.contains { $0.tables.symbol(named: name, hidden: true) != nil } && dlsym(nil, name) == nil
    }
  }

  private struct Exports {
    let path: String
    let tables: ELFTableCheck

    init(of path: String) throws(PluginError) {
      let file = try PluginFile(opening: path)
      self.path = file.path
      tables = try ELFVerifier.verify(file, exporting: [])
    }

    func contains(_ name: String) -> Bool {
      tables.symbol(named: name).map { $0.isFunction || $0.isIndirectFunction } ?? false
    }
  }
}
