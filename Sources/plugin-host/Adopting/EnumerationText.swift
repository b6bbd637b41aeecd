/// Writes the constants of a C enum as in a signature: `enum {LOW = 0, HIGH = 1}`.
struct EnumerationText {
  private let constants: [(name: String, value: Int64)]
  private let isFlags: Bool

  /// - Parameter isFlags: whether the enum's name says that its constants are combined.
  init(_ constants: [(name: String, value: Int64)], isFlags: Bool) {
    self.constants = constants
    self.isFlags = isFlags || Self.areBits(constants.map(\.value))
  }

  /// Longer lists than this do not help readers of the signature.
  private static let limit = 300

  /// Whether there are too many names for a signature.
  var isTooLong: Bool { constants.count > Self.limit }

  /// The text behind the integer type; nil if there are no names, or too many.
  var suffix: String? {
    guard !constants.isEmpty, constants.count <= Self.limit else { return nil }
    // C's enums have 32 bits, and so have their constants in a signature.
    guard constants.allSatisfy({ (Int64(Int32.min)...Int64(UInt32.max)).contains($0.value) }) else { return nil }
    guard constants.allSatisfy({ $0.value >= 0 }) || constants.allSatisfy({ $0.value <= Int64(Int32.max) }) else {
      return nil
    }
    let list = constants.map { "\($0.name) = \($0.value)" }.joined(separator: ", ")
    return "\(isFlags ? "flags" : "enum") {\(list)}"
  }

  /// Whether the values are single bits, 4 or more among them, and combinations of these; not all numbers of a range.
  private static func areBits(_ values: [Int64]) -> Bool {
    let distinct = Set(values)
    let bits = distinct.filter { $0 > 0 && $0 & ($0 - 1) == 0 }
    let all = bits.reduce(0, |)
    guard bits.count >= 2, bits.max() ?? 0 >= 4, distinct.allSatisfy({ $0 >= 0 && $0 & ~all == 0 }) else {
      return false
    }
    let most = distinct.max() ?? 0
    let isRange = distinct.count >= 4 && Int64(distinct.count) >= most
    return !isRange && distinct.count - bits.count <= bits.count
  }
}
