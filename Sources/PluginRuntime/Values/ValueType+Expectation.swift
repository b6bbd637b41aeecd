extension ValueType {
  /// The description of a type that has no form as text, with the way to pass a value of it.
  var expectationWithoutText: String {
    let way =
      switch content {
      case .pointer: ": pass the result of another call, as $NAME in a session or {step: NAME} in a pipeline"
      case .fd: ": @PATH opens a file"
      default: ""
      }
    return "\(expectation), which has no form as text\(way)"
  }

  /// The description of the type's values in errors: "an integer from 0 to 255", "a string".
  public var expectation: String {
    switch self {
    case .str, .cstr: "a string"
    case .bytes: "bytes"
    case .own(let type, _), .counted(let type, _), .reference(let type): type.expectation
    case .optional(let type): "\(type.expectation), or null"
    case .pointer(let name): "an address of a \(name)"
    case .structure(let type): "an object with \(type.fields.map(\.name).joined(separator: ", "))"
    case .union(let type): "an object with one of \(type.values.list)"
    case .array(let element, let count): "an array of \(count) \(element)"
    case .inlineText(let size): "a string of less than \(size) bytes"
    case .slice(let element), .terminated(let element): "an array of \(element)"
    case .promise: "a \(self)"
    case .callback: "a callback, \(self)"
    case .context: "no argument"
    case .error: "an error"
    case .token: "a token"
    case .value: "a value"
    case .fd: "an open file"
    case .constant(let constants): constants.expectation
    case .scalar(let scalar): scalar.expectation
    }
  }
}
