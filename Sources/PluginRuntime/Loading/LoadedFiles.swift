import CPluginEdge

/// The files that this process has mapped for plugins.
struct LoadedFiles {
  private var handles: [FileIdentity: UnsafeMutableRawPointer] = [:]
  private var files: [String: FileIdentity] = [:]
  /// The paths of the libraries that are not the system's, by the addresses of `plugin_library_address()`.
  private var paths: [UnsafeRawPointer: String] = [:]
  /// Libraries that were given the name by which another one needs them.
  private var named: Set<FileIdentity> = []

  mutating func add(_ file: PluginFile, isOfSystem: Bool, _ handle: UnsafeMutableRawPointer) {
    handles[file.identity] = handle
    files[file.path] = files[file.path] ?? file.identity
    if !isOfSystem, let address = plugin_library_address(handle) { paths[address] = file.path }
  }

  /// Notes that a library is given the name by which another one needs it. Returns false if it was given one before.
  mutating func addName(of file: PluginFile) -> Bool { named.insert(file.identity).inserted }

  /// Returns the library that was mapped from this file; `nil` if none was. Another file at the same path is refused:
  /// the system's loader and debuggers identify libraries by path.
  func handle(of file: PluginFile) throws(PluginError) -> UnsafeMutableRawPointer? {
    if let other = files[file.path], other != file.identity {
      throw PluginError(
        .replaced, file.path,
        "has changed since this process loaded it: only another process can load the new file")
    }
    return handles[file.identity]
  }

  /// Returns the path of the file of a library at an address; `nil` if it is the system's or the program's.
  func path(ofLibraryAt address: UnsafeRawPointer) -> String? { paths[address] }
}
