extension Signature: CustomStringConvertible {
  /// The signature in canonical form; parsing it gives an equal one.
  public var description: String { fatalError("declaration") }
  /// The prototype of the C function.
  public var cPrototype: String { fatalError("declaration") }
}
struct SignatureParser {
  init(_ text: String) {}
  mutating func parse() throws(SignatureError) -> Signature { fatalError("declaration") }
}
