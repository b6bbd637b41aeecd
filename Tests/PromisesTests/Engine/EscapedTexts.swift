import Testing

@testable import Promises

@Suite("Engine: texts as JSON")
struct EscapedTexts {
  @Test("a character that is cut off at the end of a text is written without the bytes behind the text")
  func cutOff() {
    let bytes = Array("☺☺".utf8)
    for count in 1...2 {
      var buffer = TextBuffer()
      defer { buffer.free() }
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe buffer.write(quoted: UnsafeRawBufferPointer(rebasing: bytes[..<count]), asciiOnly: true)
      }
      let text = unsafe String(decoding: buffer.bytes, as: UTF8.self)
      #expect(text.count == "\"\\u0000\"".count && !text.contains("263a"), "\(text)")
    }
  }
}
