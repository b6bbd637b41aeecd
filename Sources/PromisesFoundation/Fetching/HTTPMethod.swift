/// An HTTP request method. The raw value is its name in the request line.
public enum HTTPMethod: String, CaseIterable, Sendable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"

  /// Whether `URLRequest.init(path:method:parameters:headers:)` sends the parameters as a body, not as a query.
  public var hasBody: Bool {
    switch self {
    case .post, .put, .patch: true
    case .get, .head, .delete: false
    }
  }
}
