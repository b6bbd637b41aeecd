/// Text in an array of char, `str[16]`: at most 15 bytes of UTF-8, and a NUL behind them.
enum InlineText {
  /// Checks that a text fits into an array, with the NUL that ends it: nothing is cut.
  static func check(_ text: String, size: Int) throws(ArgumentMismatch) {
    guard !text.utf8.contains(0) else {
      throw ArgumentMismatch(message: "contains a NUL, which would end the text")
    }
    guard text.utf8.count < size else {
      let limit = size == 2 ? "1 byte" : "\(size - 1) bytes"
      throw ArgumentMismatch(
        message:
          "has \(text.utf8.count) bytes, expected at most \(limit): C has a char[\(size)], and a NUL ends the text")
    }
  }

  /// Stores a text, and clears the rest of the array.
  static func store(_ text: String, size: Int, at memory: UnsafeMutableRawPointer) throws(ArgumentMismatch) {
    try check(text, size: size)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    var text = text
    text.withUTF8 { memory.write(UnsafeRawBufferPointer($0)) }
  }

  /// Loads the text up to the first NUL, or the whole array if it has none.
  static func load(_ memory: UnsafeRawPointer, size: Int) throws(ArgumentMismatch) -> String {
    let bytes = UnsafeRawBufferPointer(start: memory, count: size)
    let end = bytes.firstIndex(of: 0) ?? size
    guard let text = String(copying: UnsafeRawBufferPointer(rebasing: bytes[..<end])) else {
      throw ArgumentMismatch(message: "is not UTF-8, expected text; [u8; \(size)] in the signature gives the bytes")
    }
    return text
  }
}
