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
    case .optional(let type): "\(type.expectation), or null"
    case .constant(let constants): constants.expectation
    default: kind.expectation
    }
  }
}

extension ValueType.Kind {
  fileprivate var expectation: String {
    switch self {
    case .scalar(let scalar): scalar.expectation
    case .text: "a string"
    case .inlineText(let size): "a string of less than \(size) bytes"
    case .bytes: "bytes"
    case .pointer(let name): "an address of a \(name)"
    case .file: "an open file"
    case .list(let element, let count): "an array of \(count.map { "\($0) " } ?? "")\(element)"
    case .structure(let type): "an object with \(type.fields.map(\.name).joined(separator: ", "))"
    case .union(let type): "an object with one of \(type.values.list)"
    case .promise(let held): "a \(ValueType.promise(held))"
    case .callback(let type): "a callback, \(type)"
    case .error: "an error"
    case .token: "a token"
    case .value: "a value"
    case .context: "no argument"
    }
  }
}
