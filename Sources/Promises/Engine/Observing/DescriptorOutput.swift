import CPlatform

/// A buffered writer of text to a file descriptor.
@safe
package struct DescriptorOutput: TextOutput {
  private var buffer = TextBuffer()
  private let descriptor: Int32
  /// The result so far.
  private var ending = Ending.written

  /// The result of writing. After a failure of the descriptor, errno has the reason.
  package enum Ending { case written, descriptorFailed, outOfMemory }

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  private static var portion: Int { 1 << 16 }

  mutating func write(_ byte: UInt8) {
    buffer.write(byte)
    if buffer.count >= DescriptorOutput.portion { flush() }
  }

  /// Writes a line and its terminator.
  package mutating func write(line: UnsafeRawBufferPointer) {
    unsafe buffer.write(line)
    write(UInt8(ascii: "\n"))
  }

  /// Flushes the buffer and frees its memory.
  package mutating func finish() -> Ending {
    flush()
    buffer.free()
    return ending
  }

  private mutating func flush() {
    if buffer.hasFailed { ending = .outOfMemory }
    if ending == .written && buffer.count > 0,
      unsafe !platform_write(descriptor, buffer.bytes.baseAddress!, buffer.count)
    {
      ending = .descriptorFailed
    }
    buffer.removeAll()
  }
}
