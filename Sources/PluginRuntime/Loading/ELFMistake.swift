/// A defect of an ELF file. The verifier adds the path.
struct ELFMistake: Error, Equatable {
  let kind: PluginError.Kind
  let message: String

  init(_ kind: PluginError.Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// Returns the error of a file whose parts contradict each other.
  static func damaged(_ what: String) -> ELFMistake { ELFMistake(.damaged, "is damaged: \(what)") }
}

extension UInt64 {
  /// The number as addresses are written: "0x4f8".
  var hexadecimal: String { "0x" + String(self, radix: 16) }
}
