import Glibc

/// The values that a plugin's user set, as C strings, which plugins may keep.
struct Configuration: Sendable {
  // The strings are immutable after init, and never freed, because the plugin's code stays mapped.
  private nonisolated(unsafe) let values: [String: UnsafePointer<CChar>]

  init(_ values: [String: String]) {
    self.values = values.compactMapValues { strdup($0).map { UnsafePointer($0) } }
  }

  subscript(key: String) -> UnsafePointer<CChar>? { values[key] }
}
