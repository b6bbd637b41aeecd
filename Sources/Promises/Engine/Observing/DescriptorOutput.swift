import CPlatform

/// Text on its way to a file descriptor.
@safe
package struct DescriptorOutput: TextOutput {
  private var buffer = TextBuffer()
  private let descriptor: Int32
  /// What has come of it so far.
  private var ending = Ending.written

  /// How writing ended. After a failure of the descriptor, errno says why.
  package enum Ending { case written, descriptorFailed, outOfMemory }

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  private static var portion: Int { 1 << 16 }

  mutating func write(_ byte: UInt8) {
    buffer.write(byte)
    if buffer.count >= DescriptorOutput.portion { flush() }
  }

  /// A line, with its end.
  package mutating func write(line: UnsafeRawBufferPointer) {
    unsafe buffer.write(line)
    write(UInt8(ascii: "\n"))
  }

  /// Writes the rest, and lets the memory go.
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
