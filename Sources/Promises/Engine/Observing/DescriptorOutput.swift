import CPlatform

/// Text on its way to a file descriptor.
@safe
package struct DescriptorOutput: TextOutput {
  private var buffer = TextBuffer()
  private let descriptor: Int32
  /// Whether everything could be written so far; if not, errno says why.
  private(set) package var isGood = true

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
  package mutating func finish() -> Bool {
    flush()
    buffer.free()
    return isGood
  }

  private mutating func flush() {
    if buffer.hasFailed { isGood = false }
    if isGood && buffer.count > 0 {
      isGood = unsafe platform_write(descriptor, buffer.bytes.baseAddress!, buffer.count)
    }
    buffer.removeAll()
  }
}
