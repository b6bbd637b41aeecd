/// The exported symbols of a shared library, read from its file; nothing of it is mapped.
public struct LibraryExports {
  /// The absolute path of its file, symbolic links resolved.
  public let path: String
  private let file: PluginFile
  private let dynamic: ELFDynamic

  /// Verifies a library, given by its path or by a name that is looked for where the system's loader looks.
  public init(of library: String) throws(PluginError) {
    file = try PluginFile(opening: LibraryFinder.path(of: library))
    path = file.path
    dynamic = try ELFVerifier.verify(file, exporting: []).dynamic
  }

  /// Whether the library exports a function under this name.
  public func contains(_ name: String) -> Bool {
    dynamic.symbol(named: name).map { $0.isFunction || $0.isIndirectFunction } ?? false
  }
}
