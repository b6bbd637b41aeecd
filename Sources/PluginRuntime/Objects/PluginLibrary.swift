/// The functions of a plugin's library, and the live objects of its host, for the plans of the plugin's calls.
struct PluginLibrary: Sendable {
  let plugin: String
  let objects: LiveObjects
  /// Finds a function that the library, or one that it links, exports.
  let symbol: @Sendable (String) -> UnsafeMutableRawPointer?
  /// The thread that the plugin's code runs on; `nil` for any thread.
  var thread: SerialThread?

  /// Returns the destructor of objects in memory that the host has allocated, and frees after it; without a name, one
  /// that only frees the memory. `nil` if there is no such function.
  func destructor(ofMemory name: String?) -> Destructor? {
    guard let name else { return noDestructor(freesMemory: true) }
    return symbol(name).flatMap { Destructor(name, $0, plugin: plugin, on: thread, freesMemory: true) }
  }

  /// Returns the destructor of objects that only calls release. It leaves them as they are.
  func noDestructor(freesMemory: Bool = false) -> Destructor? {
    let nothing: @convention(c) (UnsafeMutableRawPointer?) -> Void = { _ in }
    return Destructor(
      nil, unsafeBitCast(nothing, to: UnsafeMutableRawPointer.self), plugin: plugin, on: thread,
      freesMemory: freesMemory)
  }

  /// Returns the destructor of that name; `nil` if there is no such function.
  func destructor(_ name: String) -> Destructor? {
    symbol(name).flatMap { Destructor(name, $0, plugin: plugin, on: thread) }
  }
}
