import CPromise

/// The plan to read and free errors in GLib's form: `struct { uint32_t domain; int32_t code; char *message; }`.
struct GErrorPlan: Sendable {
  private typealias Name = @convention(c) (UInt32) -> UnsafePointer<CChar>?

  private let release: Destructor
  /// The function that returns the name of a domain; `nil` if the library does not link GLib.
  private let name: Name?

  /// Makes the plan; `nil` if the library has no such release function.
  init?(release: String, in library: PluginLibrary?) {
    guard let library, let destructor = library.destructor(release) else { return nil }
    self.release = destructor
    name = library.symbol("g_quark_to_string").map { unsafeBitCast($0, to: Name.self) }
  }

  /// Reads the error whose address is in `memory`, and frees it; `nil` for NULL.
  func take(_ memory: UnsafeRawPointer, domain: String, _ function: String) -> GeneralCall.Failure? {
    guard let error = memory.load(as: UnsafeMutableRawPointer?.self) else { return nil }
    // The call fails with this error even if the error cannot be freed.
    defer { _ = release.destroy(UInt(bitPattern: error)) }
    let text = error.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self).map { String(cString: $0) }
    let name = name?(error.load(as: UInt32.self)).map { String(cString: $0) }
    return GeneralCall.Failure(
      domain: name ?? domain, code: Int64(error.load(fromByteOffset: 4, as: Int32.self)),
      text: text.flatMap { $0.isEmpty ? nil : $0 }, fallback: "\(function) stored an error without a message")
  }
}
