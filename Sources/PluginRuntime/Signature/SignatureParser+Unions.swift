extension SignatureParser {
  /// Parses a union, after its `union`: `(kind) {number: i64 = 1, text: cstr = 2}`.
  ///
  /// - Parameter fields: the fields before the union in its struct, of which one is the tag.
  mutating func union(among fields: [StructType.Field]) throws(SignatureError) -> ValueType {
    try cursor.require("(", or: " after 'union', and the field that chooses its member")
    let column = cursor.next.column
    let tag = try identifier("the field that chooses its member")
    guard let type = fields.first(where: { $0.name == tag })?.type, type.isInteger else {
      throw cursor.error(at: column, found: "'\(tag)'", expected: "an integer among the fields before the union")
    }
    try cursor.require(")", or: " after the field that chooses the member")
    try cursor.require("{", or: " and the union's members")
    var members: [StructType.Field] = []
    var values: [ConstantSet.Constant] = []
    repeat {
      let name = try fieldName(among: members)
      members.append(StructType.Field(name: name, type: try self.type(.field)))
      try cursor.require("=", or: " and the value of '\(tag)' for which the union is '\(name)'")
      let column = cursor.next.column
      let value = try literal(of: type, type.expectation, as: "the value of '\(tag)'")
      if let other = values.first(where: { $0.value.tagBits == value.tagBits }) {
        throw cursor.error(
          at: column, found: "\(value.json), which is the value for '\(other.name)'", expected: "another value")
      }
      values.append(ConstantSet.Constant(name: name, value: value))
    } while cursor.skip(",")
    try cursor.require("}", or: " or ',' after the value")
    let set = ConstantSet(base: type, areFlags: false, constants: values)
    return .union(UnionType(tag: tag, members: members, values: set))
  }

  /// Parses the name of the next field or member, and its colon.
  mutating func fieldName(among fields: [StructType.Field]) throws(SignatureError) -> String {
    let column = cursor.next.column
    let name = try identifier("a field's name")
    try unique(name, among: fields.map(\.name), "field", column)
    guard fields.count < SignatureLimits.fields else {
      throw cursor.error(
        at: column, found: "one more field, '\(name)'", expected: "at most \(SignatureLimits.fields) of them")
    }
    try cursor.require(":", or: " and a type after the field's name")
    return name
  }
}
