import PluginRuntime

/// A number that an expression compares or calculates with, without rounding.
enum ExactNumber: Sendable {
  /// An integer of 64 bits, signed or unsigned; in a text, of up to 128 bits.
  case integer(Int128)
  case double(Double)

  enum Order: Sendable { case less, equal, greater, unordered }

  /// The number in a value, or in a text; `nil` for other values, and for an integer of more than 128 bits.
  init?(_ value: PluginValue) {
    switch value {
    case .int(let number): self = .integer(Int128(number))
    case .uint(let number): self = .integer(Int128(number))
    case .double(let number): self = .double(number)
    case .string(let text):
      if let number = Int128(text) {
        self = .integer(number)
      } else if let number = Double(text), text.utf8.contains(where: { !"+-0123456789".utf8.contains($0) }) {
        self = .double(number)
      } else {
        return nil
      }
    default: return nil
    }
  }

  /// Whether a text is a number, of any size.
  static func isNumber(_ text: String) -> Bool { Double(text) != nil }

  /// The operand of a calculation: truth values are 1 and 0.
  init?(operand value: PluginValue) {
    if case .bool(let value) = value {
      self = .integer(value ? 1 : 0)
      return
    }
    guard let number = ExactNumber(value) else { return nil }
    // A text may have more digits than the integers of calculations.
    if case .integer(let integer) = number, Self.value(ofInteger: integer) == nil { return nil }
    self = number
  }

  /// Returns the value of an integer; `nil` if it does not fit in 64 bits.
  static func value(ofInteger number: Int128) -> PluginValue? {
    Int64(exactly: number).map { .int($0) } ?? UInt64(exactly: number).map { .uint($0) }
  }

  var isZero: Bool {
    switch self {
    case .integer(let number): number == 0
    case .double(let number): number == 0
    }
  }

  /// The number as an f64; `nil` if an f64 cannot represent the number exactly.
  var double: Double? {
    switch self {
    case .integer(let number): Double(exactly: number)
    case .double(let number): number
    }
  }

  /// Compares two numbers; `unordered` for NaN.
  func order(to other: ExactNumber) -> Order {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): Self.order(left, right)
    case (.double(let left), .double(let right)): Self.order(left, right)
    case (.integer(let left), .double(let right)): Self.order(left, right)
    case (.double(let left), .integer(let right)):
      switch Self.order(right, left) {
      case .less: .greater
      case .greater: .less
      case let order: order
      }
    }
  }

  private static func order(_ left: Int128, _ right: Double) -> Order {
    // NaN, or beyond each integer of 128 bits: 0 stands for all.
    guard let floor = Int128(exactly: right.rounded(.down)) else { return order(0.0, right) }
    if left != floor { return order(left, floor) }
    return right == right.rounded(.down) ? .equal : .less
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> Order {
    left < right ? .less : left > right ? .greater : left == right ? .equal : .unordered
  }
}
