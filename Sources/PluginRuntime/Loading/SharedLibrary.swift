import CPluginEdge
import CPromise
import Glibc
import Synchronization

/// A shared library, a plugin's or an adopted one, mapped. It stays so: code that may still run, on any thread, is never unmapped.
struct SharedLibrary {
  let file: FileIdentity
  let path: String
  // The library stays mapped, and the system's loader may be asked on any thread.
  private nonisolated(unsafe) let handle: UnsafeMutableRawPointer

  /// Verifies the file, among other things that it exports these functions, and those that it needs, and maps it. Its
  /// constructors run.
  ///
  /// The file that was verified is mapped, by its descriptor, even if the path leads elsewhere by then; unless it looks
  /// for other libraries beside itself ($ORIGIN), which the loader does beside the path that it is given. In both cases the
  /// file that is mapped is compared with the one that was verified.
  init(verifying path: String, exporting functions: [String] = [PluginEntry.name]) throws(PluginError) {
    let file = try PluginFile(opening: path)
    let dynamic = try ELFVerifier.verify(file, exporting: functions).dynamic
    try LibraryDependencies.verify(of: dynamic, at: file.path)
    self.file = file.identity
    self.path = file.path
    try LibraryAdmission.check(file)
    try MappedFiles.check(file.identity, file.path)
    handle = try Self.open(file, byPath: OriginPath.isUsed(by: dynamic))
    MappedFiles.add(file.identity, file.path)
    try Self.check(handle, file)
    plugin_library_rename(handle, file.path)
  }

  private static func open(_ file: PluginFile, byPath: Bool) throws(PluginError) -> UnsafeMutableRawPointer {
    guard let descriptor = DescriptorPath(of: file.descriptor) else {
      throw PluginError(.loadFailed, file.path, "cannot be loaded: /proc is not mounted, by which its file is opened")
    }
    let (handle, fault) = CallEdge.map(file.path, byPath ? file.path : descriptor.text)
    if let fault { throw fault.error(file.path, of: "an initialiser ") }
    if let handle { return handle }
    let reason = loaderError.replacing(descriptor.text, with: file.path)
    throw PluginError(.loadFailed, file.path, "cannot be loaded: \(reason)")
  }

  /// Checks that the loader mapped the file that was verified, and that nobody has written to it meanwhile.
  private static func check(_ handle: UnsafeMutableRawPointer, _ file: PluginFile) throws(PluginError) {
    var (mapped, verified) = (plugin_mapping_t(), plugin_mapping_t())
    guard plugin_mapping_at(plugin_library_address(handle), &mapped), plugin_mapping_of(file.descriptor, &verified),
      mapped.device == verified.device, mapped.inode == verified.inode
    else {
      throw PluginError(
        .replaced, file.path,
        "is not what the system's loader has loaded for it: a library of the same name is another file")
    }
    guard file.isUnchanged else { throw PluginError(.replaced, file.path, "changed while it was being loaded") }
  }

  /// Looks up a symbol that the library, or one that it links, exports.
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
    let (descriptor, fault) = CallEdge.entry(path, function, hostABI)
    if let fault { throw fault.error(path, of: "\(Self.name)() ") }
    return descriptor.map { UnsafeRawPointer($0) }
  }
}

/// The files that this process has mapped, by path. The system's loader returns the library that it has under a path,
/// even if another file is there now: that would not be the file which was verified.
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
