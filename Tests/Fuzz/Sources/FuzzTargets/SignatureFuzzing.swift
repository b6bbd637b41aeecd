import PluginRuntime

/// Checks that the description of a parsed signature parses to the same signature, and that an error points into the
/// text.
enum SignatureFuzzing {
  static func run(_ bytes: some Sequence<UInt8>) {
    let text = String(decoding: Array(bytes), as: UTF8.self)
    do {
      let signature = try Signature(parsing: text)
      guard let again = try? Signature(parsing: signature.description) else {
        preconditionFailure("its own description is a mistake: \(signature)")
      }
      precondition(again == signature, "is another when written and read: \(signature)")
      precondition(again.description == signature.description, "is written in two ways: \(signature)")
      precondition(
        again.canonical == signature.canonical && again.hash == signature.hash, "has two forms: \(signature)")
      precondition(signature.cPrototype.hasSuffix(";"), "has no prototype: \(signature)")
    } catch {
      precondition(error.column >= 1 && error.column <= text.unicodeScalars.count + 1, "points outside: \(error)")
      precondition(!error.description.isEmpty && !error.expected.isEmpty, "says nothing: \(text)")
    }
  }
}
