extension Signature: CustomStringConvertible {
  /// The signature in canonical form: one space where one may stand, defaults as short as they go. Parsing it gives an
  /// equal one.
  public var description: String {
    let parameters = parameters.map(\.description).joined(separator: ", ")
    return "\(name)(\(parameters))\(result.map { " -> \($0)" } ?? "")\(fails ? " !" : "")"
  }
}

extension Parameter: CustomStringConvertible {
  /// The parameter as a signature writes it: "seed: u32 = 0".
  public var description: String {
    "\(name): \(type)\(defaultValue.map { " = \(Self.literal($0))" } ?? "")"
  }

  private static func literal(_ value: PluginValue) -> String {
    switch value {
    case .double(let number):
      // 30 rather than 30.0; but -0.0 has no shorter form.
      Int64(exactly: number).map { $0 == 0 && number.sign == .minus ? "-0.0" : String($0) } ?? String(number)
    // A default of bytes was written as a string.
    case .bytes(let bytes): PluginValue.string(String(decoding: bytes, as: UTF8.self)).json
    case .void, .bool, .int, .uint, .string: value.json
    }
  }
}
