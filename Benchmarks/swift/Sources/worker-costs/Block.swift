import PluginRuntime

/// Bytes as the two kinds of argument that pass them: copied and shared.
final class Block {
  let bytes: Argument.Content
  let shared: Argument.Content
  private let from: UnsafeMutableRawBufferPointer
  private let to: UnsafeMutableRawBufferPointer

  init(_ size: Int) {
    from = .allocate(byteCount: size, alignment: 64)
    to = .allocate(byteCount: size, alignment: 64)
    for index in 0..<size { from[index] = UInt8(truncatingIfNeeded: index) }
    bytes = .value(.bytes(Array(from)))
    shared = SharedBytes(copying: Array(from)).map { .shared($0) } ?? bytes
  }

  deinit {
    from.deallocate()
    to.deallocate()
  }

  @inline(never)
  func copy() { to.copyMemory(from: UnsafeRawBufferPointer(from)) }
}
