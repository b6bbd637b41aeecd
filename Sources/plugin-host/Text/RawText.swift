import CPluginEdge
import Glibc

/// Strings that carry the bytes of the command line unchanged, even if they are not UTF-8.
///
/// U+FFFF, which no text has, and one more scalar stand for a byte that is not part of any UTF-8 text. U+FFFF twice
/// stands for itself.
enum RawText {
  /// The words of the command line, the program's name first.
  static var commandLine: [String] {
    (0..<plugin_process_word_count()).compactMap { index in
      plugin_process_word(index).map { word in
        text(UnsafeRawBufferPointer(start: word, count: strlen(word)))
      }
    }
  }

  /// Returns the string that carries the bytes.
  static func text(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(mark) { return text }
    var scalars = String.UnicodeScalarView()
    var rest = bytes[...]
    while let byte = rest.first {
      let length = [1, 2, 3, 4].first { String(validating: rest.prefix($0), as: UTF8.self)?.unicodeScalars.count == 1 }
      if let length {
        let scalar = String(decoding: rest.prefix(length), as: UTF8.self).unicodeScalars.first ?? mark
        if scalar == mark { scalars.append(mark) }
        scalars.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        scalars.append(mark)
        scalars.append(Unicode.Scalar(UInt8(byte)))
        rest = rest.dropFirst()
      }
    }
    return String(scalars)
  }

  /// Returns the bytes that a string carries.
  static func bytes(of text: String) -> [UInt8] {
    guard text.unicodeScalars.contains(mark) else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    var isMarked = false
    for scalar in text.unicodeScalars {
      if isMarked, let byte = UInt8(exactly: scalar.value), byte >= 0x80 {
        bytes.append(byte)
      } else if isMarked || scalar != mark {
        bytes += Array(String(scalar).utf8)
      } else {
        isMarked = true
        continue
      }
      isMarked = false
    }
    return bytes
  }

  /// Whether a string carries UTF-8 text.
  static func isText(_ text: String) -> Bool {
    !text.unicodeScalars.contains(mark) || String(validating: bytes(of: text), as: UTF8.self) != nil
  }

  /// Returns the text that a string carries, with replacements for bytes that are not UTF-8.
  static func string(_ text: String) -> String { String(decoding: bytes(of: text), as: UTF8.self) }

  /// Returns a path or an argument as a C string.
  static func cString(_ text: String) -> [CChar] { bytes(of: text).map(CChar.init(bitPattern:)) + [0] }

  private static let mark: Unicode.Scalar = "\u{FFFF}"
}
