// Encoded as an object with the keys "value" and "error", of which at least one is null. Both are null for a
// cancellation, whose indirect error is lost, and for a value that is nil, which is decoded as a cancellation.

private enum FutureResultKey: String, CodingKey {
  case value, error
}

extension FutureResult: Encodable where Value: Encodable, Failure: Encodable {
  /// Encodes the outcome as an object with the keys "value" and "error"; the one that does not apply is null. An
  /// indirect error is left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FutureResultKey.self)
    try container.encode(value, forKey: .value)
    try container.encode(error, forKey: .error)
  }
}

extension FutureResult: Decodable where Value: Decodable, Failure: Decodable {
  /// Decodes the output of `encode(to:)`. If "value" is not null, "error" is ignored and may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FutureResultKey.self)
    if let value = try container.decode(Value?.self, forKey: .value) {
      self = .fulfilled(value)
    } else if try container.decodeNil(forKey: .error) {
      self = .cancelled(nil)
    } else if Failure.self == Never.self {
      throw DecodingError.dataCorruptedError(
        forKey: .error, in: container, debugDescription: "an error is given, but the result's failure type is Never")
    } else {
      self = .rejected(try container.decode(Failure.self, forKey: .error))
    }
  }
}
