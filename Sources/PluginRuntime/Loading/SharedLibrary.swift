import CPromise
import Glibc
import Synchronization

/// A shared library, a plugin's or an adopted one, mapped. It stays so: code that may still run, on whatever thread, is never unmapped.
struct SharedLibrary {
  let file: FileIdentity
  let path: String
  // The library stays mapped, and the system's loader may be asked on any thread.
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  /// Verifies the file, among other things that it exports these functions, and maps it. Its constructors run.
  ///
  /// What is mapped is what was verified as far as the system's loader lets one say: the file is compared before and
  /// after, by device, inode, size and time of modification. Who can write to it in between within one nanosecond's
  /// stamp is not kept out.
  init(verifying path: String, exporting functions: [String] = [PluginEntry.name]) throws(PluginError) {
    let file = try PluginFile(opening: path)
    try ELFVerifier.verify(file, exporting: functions)
    self.file = file.identity
    self.path = file.path
    try MappedFiles.check(file.identity, file.path)
    guard let handle = dlopen(file.path, RTLD_NOW | RTLD_LOCAL) else {
      throw PluginError(.loadFailed, file.path, "cannot be loaded: \(Self.loaderError)")
    }
    MappedFiles.add(file.identity, file.path)
    guard FileIdentity(at: file.path) == file.identity else {
      throw PluginError(.replaced, file.path, "changed while it was being loaded")
    }
    self.handle = handle
  }

  /// What the library, or one that it links, exports under a name.
  func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(handle, name) }

  /// The function that the library exports under this name.
  func function(named name: String) throws(PluginError) -> promise_function_t {
    guard let address = symbol(name) else {
      throw PluginError(.noEntry, path, "does not export \(name): \(Self.loaderError)")
    }
    return unsafeBitCast(address, to: promise_function_t.self)
  }

  private static var loaderError: String {
    dlerror().map { String(cString: $0) } ?? "the system's loader does not say why"
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

  /// The plugin's descriptor for a host of this ABI: the memory of a promise_plugin_t, which may be of another version.
  func descriptor(hostABI: UInt32, _ path: String) throws(PluginError) -> UnsafeRawPointer? {
    let (descriptor, fault) = CallEdge.entry(function, hostABI)
    if let fault { throw fault.error(path, of: "\(Self.name)() ") }
    return descriptor.map { UnsafeRawPointer($0) }
  }
}

/// The files that this process has mapped, by path. The system's loader gives back what it has under a path, even if
/// another file is there now: that would not be the file which was verified.
private enum MappedFiles {
  private static let files = Mutex<[String: FileIdentity]>([:])

  static func add(_ file: FileIdentity, _ path: String) {
    files.withLock { $0[path] = $0[path] ?? file }
  }

  static func check(_ file: FileIdentity, _ path: String) throws(PluginError) {
    if let mapped = files.withLock({ $0[path] }), mapped != file {
      throw PluginError(
        .replaced, path,
        "is not the file that this process has loaded from there before: restart it to load the new one")
    }
  }
}
