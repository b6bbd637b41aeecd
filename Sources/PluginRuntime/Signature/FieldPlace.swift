/// The place of a parameter that is a field of a struct: `at ptr<z_stream> {next_in: moving bytes[avail_in], ...}`.
public struct FieldPlace: Sendable, Hashable {
  /// The index in the signature's parameters of the one that is the struct's address.
  public let owner: Int
  /// The offset of the field in bytes.
  public let offset: Int
}

extension Parameter {
  /// Whether the function gets the address of a struct that has these fields alone, in memory of the host: `at {...}`.
  /// A call passes no argument for it.
  var isFieldsAlone: Bool { fields != nil && type.isStructure }

  /// Returns the parameter as written in a signature, with its fields.
  func text(fields list: [String]) -> String {
    let object = isFieldsAlone ? "" : "\(type) "
    return "at \(object){\(list.joined(separator: ", "))}\(note.literal)"
  }
}

extension Signature {
  /// The parameters of C's function: all but fields.
  var cParameters: [Parameter] { parameters.filter { $0.place == nil } }

  /// Returns a text for each parameter of C's function. That of a parameter with fields has theirs in braces.
  func texts(_ text: (Parameter) -> String, owner: (Parameter, _ fields: [String]) -> String) -> [String] {
    parameters.indices.filter { parameters[$0].place == nil }.map { index in
      guard parameters[index].fields != nil else { return text(parameters[index]) }
      return owner(parameters[index], parameters.filter { $0.place?.owner == index }.map(text))
    }
  }
}

extension SignatureParser {
  /// Parses the fields at an address, after the word `at`: those of an object, `ptr<Name> {...}`, or of a struct that
  /// the host makes for the call, `{...}`. Returns the parameter of C's function, and the fields behind it.
  mutating func fields(
    of name: String, after parameters: [Parameter], _ check: inout SignatureCheck
  ) throws(SignatureError) -> [Parameter] {
    let column = cursor.next.column
    let object: ValueType? = cursor.next.token == .symbol("{") ? nil : try self.type(.input)
    if let object {
      guard case .pointer = object else {
        throw cursor.error(at: column, found: "'\(object)'", expected: "ptr<Name> or '{' after 'at'")
      }
    }
    try cursor.require("{", or: " and the fields that are arguments of their own")
    var fields: [Parameter] = []
    repeat {
      let column = cursor.next.column
      let field = try identifier("a field's name")
      try unique(field, among: (parameters + fields).map(\.name) + [name], "parameter", column)
      guard parameters.count + fields.count + 1 < SignatureLimits.parameters else {
        throw cursor.error(
          at: column, found: "one more parameter, '\(field)'", expected: "at most \(SignatureLimits.parameters) of them"
        )
      }
      try cursor.require(":", or: " and a type after the field's name")
      let place = cursor.next.column
      var parameter = try self.parameter(field, isVariadic: false)
      guard parameter.canBeField else {
        throw cursor.error(at: place, found: "'\(parameter.prefix)\(parameter.type)'", expected: Self.fieldTypes)
      }
      try counts(&parameter, parameters.count + 1 + fields.count, &check)
      check.parameterColumns.append(place)
      fields.append(parameter)
    } while cursor.skip(",")
    try cursor.require("}", or: " or ',' after the field")
    let structure = StructType(fields: fields.map { StructType.Field(name: $0.name, type: $0.type) })
    guard let layout = StructLayout(structure), layout.whole.size <= SignatureLimits.size else {
      throw cursor.error(at: column, found: "fields of more than \(SignatureLimits.size) bytes", expected: "fewer")
    }
    for index in fields.indices {
      fields[index].place = FieldPlace(owner: parameters.count, offset: layout.offsets[index])
    }
    let type = object ?? .structure(structure)
    return [Parameter(name: name, type: type, fields: structure, note: try note())] + fields
  }

  /// Parses `counts dst` behind a parameter, if it is next, and the description behind that.
  mutating func counts(
    _ parameter: inout Parameter, _ index: Int, _ check: inout SignatureCheck
  ) throws(SignatureError) {
    guard cursor.skip(word: "counts") else { return }
    check.fieldCounts.append((index, cursor.next.column))
    parameter.counted = try identifier("the out parameter whose written elements it counts")
    if parameter.note == nil { parameter.note = try note() }
  }

  private static let fieldTypes =
    "a number, an address, or elements with a count as a field: without 'keep', 'own', callbacks and promises"
}

extension Parameter {
  /// Whether the parameter can be a field at an address.
  fileprivate var canBeField: Bool {
    guard !isKept, allocatedSize == nil, !type.isOwn, !type.isSpan else { return false }
    switch type.unwrapped {
    case .callback, .context, .promise, .token, .error, .value, .fd, .structure: return false
    // The field is the address of one value.
    case .reference: return false
    default: return type.unwrapped == type || type.isAddress && !type.content.isScalar
    }
  }
}

extension SignatureCheck {
  /// Checks the fields that are parameters.
  func checkFields(of signature: Signature, _ cursor: SignatureCursor) throws(SignatureError) {
    for (index, column) in fieldCounts {
      let parameter = signature.parameters[index]
      let elements = signature.parameters.first { $0.name == parameter.counted }
      guard let elements, elements.direction == .output, elements.type.isCountedOnce, !elements.isMoved,
        parameter.type.isInteger, parameter.direction != .input
      else {
        throw cursor.error(
          at: column, found: "'\(parameter.counted ?? "")'",
          expected: "an out parameter with a count, bytes[n], bytes[64], str[n] or &[T; n], whose elements an out "
            + "integer counts")
      }
    }
    guard let index = signature.parameters.firstIndex(where: { $0.fields != nil }) else { return }
    guard signature.tail == nil, signature.variadicIndex == nil, signature.failure != .status else {
      throw cursor.error(
        at: parameterColumns[index], found: "'at' in a variadic function, or in one with '!' alone",
        expected: "a function with a fixed number of parameters, and a rule of failure")
    }
    if case .promise = signature.result {
      throw cursor.error(
        at: parameterColumns[index], found: "'at' in a function that returns a promise",
        expected: "a function that is done with the fields when it returns")
    }
  }
}
