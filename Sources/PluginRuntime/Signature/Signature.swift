/// What a plugin's function is called, takes and gives: the text of a signature, parsed.
///
///     let signature = try Signature(parsing: "crc32(data: bytes, seed: u32 = 0) -> u32")
///     signature.parameters[1].defaultValue    // .uint(0)
///     signature.cPrototype                    // "uint32_t crc32(promise_bytes_t data, uint32_t seed);"
///
/// `docs/signatures.md` is the grammar. Two signatures are equal if they mean the same; `description` is then equal
/// too.
public struct Signature: Sendable, Equatable {
  /// The function's name.
  public let name: String
  /// What it takes, in order.
  public let parameters: [Parameter]
  /// The type of the result; `nil` if there is none.
  public let result: ValueType?
  /// Whether the signature ends in `!`: the C function returns a status and takes out parameters.
  public let fails: Bool

  init(name: String, parameters: [Parameter], result: ValueType?, fails: Bool) {
    self.name = name
    self.parameters = parameters
    self.result = result
    self.fails = fails
  }

  /// Parses the text of a signature.
  public init(parsing text: String) throws(SignatureError) {
    var parser = SignatureParser(text)
    self = try parser.parse()
  }
}

/// A parameter of a function.
public struct Parameter: Sendable, Equatable {
  /// By which an argument can be given.
  public let name: String
  /// What it takes.
  public let type: ValueType
  /// What is passed when the call leaves the argument out; `nil` if it must not.
  public let defaultValue: PluginValue?
}
