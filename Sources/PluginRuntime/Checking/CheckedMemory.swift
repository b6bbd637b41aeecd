import CPluginEdge

/// Memory of arguments between pages that cannot be accessed.
struct CheckedMemory {
  /// Whether the start of the memory has the alignment of malloc(), instead of its end meeting the guard page.
  var isAligned = false

  /// Maps zeroed memory for an argument; `nil` if memory has run out.
  func map(_ size: Int, for name: UnsafePointer<CChar>) -> UnsafeMutableRawPointer? {
    plugin_check_map(size, isAligned, name).data.map { UnsafeMutableRawPointer($0) }
  }

  /// Maps a copy of bytes that the function only reads; `nil` if memory has run out.
  func constant(_ bytes: [UInt8], for name: UnsafePointer<CChar>) -> UnsafeMutableRawPointer? {
    let memory = plugin_check_map(bytes.count, isAligned, name)
    guard let data = memory.data else { return nil }
    bytes.withUnsafeBytes { UnsafeMutableRawPointer(data).write($0) }
    plugin_check_protect(memory)
    return UnsafeMutableRawPointer(data)
  }
}
