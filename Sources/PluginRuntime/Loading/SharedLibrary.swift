import CPluginEdge
import CPromise
import Glibc

/// A mapped shared library, of a plugin or adopted. It is never unmapped: its code may still run on any thread.
struct SharedLibrary {
  let file: FileIdentity
  let path: String
  // The library stays mapped, and dlsym() may be called on any thread.
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  /// Verifies the file and those that it needs, and that it exports these functions; then maps the files. Their
  /// constructors run.
  ///
  /// The bytes that were verified are mapped: those of sealed copies, which no process can change, except for the
  /// system's own files (`SystemFile`).
  init(verifying path: String, exporting functions: [String] = [PluginEntry.name]) throws(PluginError) {
    let file = try PluginFile(opening: path)
    self.file = file.identity
    self.path = file.path
    handle = try LibraryLoader.load(file, exporting: functions)
  }

  /// Looks up a symbol that the library, or one that it links, exports.
  func symbol(_ name: String) -> UnsafeMutableRawPointer? { plugin_library_symbol(handle, name) }

  /// Whether the file itself has libpromise, linked statically: the host's promises are then foreign to it.
  var hasOwnPromises: Bool { plugin_library_defines(handle, "promise_new") }

  /// Returns the function that the library exports under this name.
  func function(named name: String) throws(PluginError) -> promise_function_t {
    guard let address = symbol(name) else {
      throw PluginError(.noEntry, path, "does not export \(name): \(LibraryLoader.error)")
    }
    return unsafeBitCast(address, to: promise_function_t.self)
  }
}

/// promise_plugin_entry() of a library.
struct PluginEntry: Sendable {
  static let name = "promise_plugin_entry"

  private let function: @convention(c) (UInt32) -> UnsafePointer<promise_plugin_t>?

  init(of library: SharedLibrary) throws(PluginError) {
    function = unsafeBitCast(
      try library.function(named: Self.name),
      to: (@convention(c) (UInt32) -> UnsafePointer<promise_plugin_t>?).self)
  }

  /// Returns the plugin's descriptor for a host of this ABI: the memory of a promise_plugin_t, which may be of another
  /// version.
  func descriptor(hostABI: UInt32, _ path: String) throws(PluginError) -> UnsafeRawPointer? {
    let (descriptor, fault) = CallEdge.entry(path, function, hostABI)
    if let fault { throw fault.error(path, of: "\(Self.name)() ") }
    return descriptor.map { UnsafeRawPointer($0) }
  }
}
