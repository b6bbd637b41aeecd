/// Why an argument does not fit its parameter.
public struct ArgumentMismatch: Error, Equatable, Sendable {
  /// What follows the parameter's name in a sentence: `is "x", expected an integer from 0 to 255`.
  public let message: String
}

extension ValueType {
  /// The value that text means as an argument of this type; for a promise, of what it holds.
  ///
  /// More liberal than a signature's defaults: integers may be hexadecimal, floats may be "inf" and "nan". It is what a
  /// call does with `Argument.Content.text`; to ask first tells what is wrong without calling anything.
  public func value(fromText text: String) throws(ArgumentMismatch) -> PluginValue {
    switch self {
    case .str, .ownStr: return .string(text)
    case .bytes, .ownBytes: return .bytes(Array(text.utf8))
    case .cstr:
      guard !text.utf8.contains(0) else { throw ArgumentMismatch(message: "has a NUL in it, where a cstr would end") }
      return .string(text)
    case .promise(let element?): return try element.value(fromText: text)
    case .promise(nil):
      guard text.isEmpty || text == "null" else { throw mismatch(text, "nothing, or null: the promise is one of void") }
      return .void
    case .f32, .f64:
      guard let number = Double(text), ScalarLiteral.fits(number, self) || isNamedInfiniteOrNaN(text) else {
        throw mismatch(text, ScalarLiteral.expectation(self))
      }
      return .double(number)
    case .bool, .i8, .i16, .i32, .i64, .u8, .u16, .u32, .u64, .usize:
      let value = ScalarLiteral.value(text, as: self) ?? ScalarLiteral.integer(text, as: self) ?? hexadecimal(text)
      guard let value else { throw mismatch(text, ScalarLiteral.expectation(self)) }
      return value
    }
  }

  /// The value that the content of a file means as an argument of this type.
  func value(fromContents bytes: [UInt8]) throws(ArgumentMismatch) -> PluginValue {
    switch self {
    case .bytes, .ownBytes, .promise(.bytes?): return .bytes(bytes)
    default: break
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ArgumentMismatch(message: "is not UTF-8, which \(self) has to be")
    }
    switch self {
    case .str, .ownStr, .cstr, .promise(.str?), .promise(.cstr?): return try value(fromText: text)
    default:
      let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
      return try value(fromText: String(text[..<end].drop { $0.isWhitespace }))
    }
  }

  /// What is too large reads as infinite as well, but is not meant.
  private func isNamedInfiniteOrNaN(_ text: String) -> Bool {
    let name = text.lowercased().drop { $0 == "-" || $0 == "+" }
    return name.hasPrefix("inf") || name.hasPrefix("nan")
  }

  /// An integer as 0x and hexadecimal digits.
  private func hexadecimal(_ text: String) -> PluginValue? {
    let isNegative = text.hasPrefix("-")
    let digits = text.dropFirst(isNegative ? 1 : 0)
    guard digits.hasPrefix("0x") || digits.hasPrefix("0X"), let magnitude = UInt64(digits.dropFirst(2), radix: 16)
    else {
      return nil
    }
    return ScalarLiteral.integer("\(isNegative ? "-" : "")\(magnitude)", as: self)
  }

  private func mismatch(_ text: String, _ expected: String) -> ArgumentMismatch {
    let shown = text.count > 40 ? text.prefix(40) + "..." : text[...]
    return ArgumentMismatch(message: "is \(PluginValue.string(String(shown)).json), expected \(expected)")
  }
}
