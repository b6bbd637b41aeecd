/// The encoding of values in frames and in the cache: CBOR (RFC 8949) in its deterministic form, with tags for
/// distinctions that a `PluginValue` makes and CBOR does not. `docs/isolation.md` has the table.
enum CBOR {
  /// Tags of 16 bits, from the range that is assigned first come, first served.
  enum Tag {
    /// The tag of a number that is not negative: an `.int` rather than a `.uint`.
    static let signed: UInt64 = 40_960
    /// The tag of a handle: the array of its type name and number.
    static let handle: UInt64 = 40_961
    /// The tag of an object: the array of its names and values in turn, which keeps their order.
    static let object: UInt64 = 40_962
    /// The tag of the index of a block of shared memory that holds bytes.
    static let sharedBytes: UInt64 = 40_963
    /// The tag of the index of a block of shared memory that holds text.
    static let sharedText: UInt64 = 40_964
    /// The tag of the index of an open file of the frame.
    static let file: UInt64 = 40_965
  }

  /// The maximum nesting of arrays and objects.
  static let maximumDepth = PluginValue.maximumDepth
  /// The maximum number of values in one encoded value, so that a few bytes cannot become much memory.
  static let maximumCount = 1 << 24

  /// The major types.
  enum Major {
    static let unsigned: UInt8 = 0
    static let negative: UInt8 = 1
    static let bytes: UInt8 = 2
    static let text: UInt8 = 3
    static let array: UInt8 = 4
    static let tag: UInt8 = 6
    static let simple: UInt8 = 7
  }

  /// The additional information of simple values and floats.
  enum Simple {
    static let `false`: UInt8 = 20
    static let `true`: UInt8 = 21
    static let null: UInt8 = 22
    static let half: UInt8 = 25
    static let single: UInt8 = 26
    static let double: UInt8 = 27
  }
}

extension PluginValue {
  /// The encoding of the value for other processes; `nil` for one with an address or an open file in it, or
  /// one nested too deeply.
  package var portableBytes: [UInt8]? { holdsHandles ? nil : try? CBOREncoder.encode(self) }

  /// Decodes `portableBytes`; `nil` if these are not the bytes of a value.
  package init?(portableBytes bytes: [UInt8]) {
    guard let value = try? CBORDecoder.decode(bytes[...], limit: .max), !value.holdsHandles else { return nil }
    self = value
  }
}

/// The error of bytes that are not the encoding of a value, and of a value that has none.
struct CBORError: Error, Equatable, CustomStringConvertible {
  /// The offset in the bytes; `nil` for a value that cannot be encoded.
  let offset: Int?
  let message: String

  var description: String { offset.map { "at byte \($0): \(message)" } ?? message }
}
