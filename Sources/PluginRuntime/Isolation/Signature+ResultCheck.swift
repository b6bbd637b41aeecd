/// Checks results that come from another process, so that a program only gets values of the declared types.
extension Signature {
  /// Checks the value that fulfils a call.
  ///
  /// - Throws: `ArgumentMismatch` if the value is not of the type that the signature declares.
  func check(result value: PluginValue) throws(ArgumentMismatch) { try check(result: value, outputs: outputs) }

  /// Checks the value likewise. `outputs` are those of the signature, which a caller may have computed once.
  func check(result value: PluginValue, outputs: [Parameter]) throws(ArgumentMismatch) {
    guard !outputs.isEmpty else { return try value.check(as: yielded) }
    guard case .object(let members) = value else {
      throw ArgumentMismatch(message: "is \(value.name), expected an object of results")
    }
    for output in outputs {
      try converting(output.name) { () throws(ArgumentMismatch) in
        let member = value[member: output.name]
        // Elements have no memory, and so no value, if their number is 0.
        if member == .void, output.type.countName != nil || countedByResult == output.name { return }
        guard let member else {
          throw ArgumentMismatch(message: "is missing, expected \(output.type.expectation)")
        }
        try member.check(as: output.type)
      }
    }
    if let returned = value[member: "result"], !outputs.contains(where: { $0.name == "result" }) {
      try converting("result") { () throws(ArgumentMismatch) in try returned.check(as: yielded) }
    }
    let names = Set(outputs.map(\.name) + ["result"])
    if let other = members.first(where: { !names.contains($0.name) }) {
      throw ArgumentMismatch(message: "has a member '\(other.name)', which the function does not return")
    }
  }
}

extension PluginValue {
  /// Checks a value of another process. A type of `nil` is void.
  func check(as type: ValueType?) throws(ArgumentMismatch) {
    if case .void = self, type?.isOptional ?? true { return }
    switch (type?.kind, self) {
    case (.promise(let held), _): try check(as: held)
    case (.value, _), (.error, .object), (.error, .void): return
    case (.structure(let structure), .object(let members)):
      guard members.count == structure.fields.count else { throw mismatch(type) }
      for field in structure.fields {
        guard let member = self[member: field.name] else { throw mismatch(type) }
        var type: ValueType? = field.type
        if case .union(let union) = field.type { type = union.choice(tagged: self[member: union.tag]) }
        try converting(".\(field.name)") { () throws(ArgumentMismatch) in try member.check(as: type) }
      }
    case (.list(let element, let count), .array(let elements)):
      guard elements.count == count ?? elements.count else { throw mismatch(type) }
      for (index, value) in elements.enumerated() {
        try converting("[\(index)]") { () throws(ArgumentMismatch) in try value.check(as: element) }
      }
    default: guard let type, isOf(type) else { throw mismatch(type) }
    }
  }

  private func mismatch(_ type: ValueType?) -> ArgumentMismatch {
    ArgumentMismatch(message: "is \(name), expected \(type?.expectation ?? "nothing")")
  }
}
