extension Signature {
  /// The C declaration of the function, preceded by the declarations that it needs, one a line: "promise_status_t
  /// inflate(promise_bytes_t data, size_t limit, promise_bytes_t *result, promise_value_t *error);"
  public var cPrototype: String {
    var writer = CTypeWriter(prefix: name)
    var taken: Set<String> = []
    var declarations: [String] = []
    for parameter in variadicIndex.map({ parameters[..<$0] }) ?? cParameters[...] {
      let isByAddress = parameter.direction != .input && parameter.allocatedSize == nil || parameter.isFieldsAlone
      let type = writer.parameter(parameter.type, isByAddress: isByAddress, path: parameter.name)
      declarations.append(type((parameter.isMoved ? "*" : "") + CTypeWriter.identifier(parameter.name, &taken)))
    }
    if fails || Self.isGivenByAddress(returned) {
      if let returned {
        let type = writer.parameter(returned, isByAddress: true, path: "result")
        declarations.append(type(CTypeWriter.identifier("result", &taken)))
      }
      if fails { declarations.append("promise_value_t *\(CTypeWriter.identifier("error", &taken))") }
    }
    if failure == .gerror { declarations.append("GError **\(CTypeWriter.identifier("error", &taken))") }
    if tail != nil || variadicIndex != nil { declarations.append("...") }
    let list = declarations.isEmpty ? "void" : declarations.joined(separator: ", ")
    let function = "\(name)(\(list))"
    let prototype =
      if fails {
        "promise_status_t \(function)"
      } else if let returned, !Self.isGivenByAddress(returned) {
        writer.value(returned, path: "result")(function)
      } else {
        "void \(function)"
      }
    let errors = failure == .gerror ? ["typedef struct GError GError;"] : []
    return (errors + writer.declarations + [prototype + ";"]).joined(separator: "\n")
  }

  /// Whether the result is stored through an out parameter: a promise_value_t, which always crosses the boundary by
  /// address.
  static func isGivenByAddress(_ type: ValueType?) -> Bool { type == .error || type == .value }
}
