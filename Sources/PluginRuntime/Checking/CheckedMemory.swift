import CPluginEdge
import Glibc

/// Memory of arguments between pages that cannot be accessed.
struct CheckedMemory {
  /// Whether the start of the memory has the alignment of malloc(), instead of its end meeting the guard page.
  var isAligned = false
  /// Whether an address of unknown data may be memory, and not only NULL.
  var hasUnknownData = false

  /// The size of memory for an argument whose sufficient size only a caller could know.
  private static let callerSize = 1 << 16

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

  /// Maps a copy of bytes that the function may use in later calls too; `nil` if memory has run out.
  func kept(_ bytes: [UInt8], for name: UnsafePointer<CChar>) -> UnsafeMutableRawPointer? {
    let memory = plugin_check_map(bytes.count, isAligned, name)
    guard let data = memory.data else { return nil }
    bytes.withUnsafeBytes { UnsafeMutableRawPointer(data).write($0) }
    plugin_check_keep(memory)
    return UnsafeMutableRawPointer(data)
  }

  /// Returns zeroed memory for a parameter whose size nothing states. The memory stays accessible, as that of a caller
  /// may. A function that needs more crashes at the pages behind it, and its signature is not judged by that call.
  static func ofCaller() -> UnsafeMutableRawPointer? {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let start = mmap(nil, 2 * callerSize, PROT_READ | PROT_WRITE, flags, -1, 0), start != MAP_FAILED else {
      return nil
    }
    mprotect(start + callerSize, callerSize, PROT_NONE)
    return start
  }
}
