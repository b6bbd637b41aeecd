extension SignatureParser {
  /// Parses `enum {LOW = 0}` or `flags {READ = 1}` after the integer type of a parameter, if it is next.
  mutating func constants(of type: ValueType, _ place: Place) throws(SignatureError) -> ConstantSet? {
    guard type.isInteger, place == .input else { return nil }
    let areFlags = cursor.skip(word: "flags")
    guard areFlags || cursor.skip(word: "enum") else { return nil }
    try cursor.require("{", or: " and the names of the values")
    var constants: [ConstantSet.Constant] = []
    repeat {
      let column = cursor.next.column
      let name = try identifier("the name of a value")
      try unique(name, among: constants.map(\.name), "constant", column)
      guard constants.count < SignatureLimits.constants else {
        throw cursor.error(
          at: column, found: "one more constant, '\(name)'", expected: "at most \(SignatureLimits.constants) of them")
      }
      try cursor.require("=", or: " and the value after the name")
      let value = try literal(of: type, type.expectation, as: "the value of '\(name)'")
      constants.append(ConstantSet.Constant(name: name, value: value))
    } while cursor.skip(",")
    try cursor.require("}", or: " or ',' after the value")
    return ConstantSet(base: type, areFlags: areFlags, constants: constants)
  }

  /// Parses the default of a parameter whose values have names: one of these, or a number.
  mutating func defaultValue(among constants: ConstantSet) throws(SignatureError) -> PluginValue {
    if case .word(let word) = cursor.next.token, let value = constants[word] {
      cursor.advance()
      return value
    }
    return try literal(of: constants.base, constants.expectation, as: "the default")
  }
}
