/// The error of a request that cannot be made.
public enum RequestError: Error, Equatable, Sendable {
  /// The text is not a URL, or is an HTTP URL without a host.
  case invalidURL(String)
  /// The name is not an HTTP token, or the value has a line break or a null character.
  case invalidHeader(name: String, value: String)
  /// JSON cannot represent the value of this parameter.
  case invalidParameter(name: String)
}

extension RequestError: CustomStringConvertible {
  /// The mistake, and the expected form.
  public var description: String {
    switch self {
    case .invalidURL(let text):
      "\"\(text)\" is not a URL: expected scheme://host/path, with other characters percent-encoded"
    case .invalidHeader(let name, let value):
      "the header \"\(name)\" with the value \"\(value)\" cannot be sent: expected a token, and a value on one line"
    case .invalidParameter(let name):
      "the parameter \"\(name)\" has no form in JSON: expected text, a finite number, a Bool, NSNull, an array of them, "
        + "or a dictionary with keys of text"
    }
  }
}
