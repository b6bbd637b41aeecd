import Foundation
public import FoundationNetworking
public import Promises

extension URLRequest {
  /// Makes a request from a URL, parameters and headers.
  ///
  ///     try URLRequest(path: "https://example.org/users", parameters: ["page": 2])   // GET .../users?page=2
  ///     try URLRequest(path: "https://example.org/users", method: .post, parameters: ["name": "Ada"])
  ///
  /// - Parameters:
  ///   - path: the URL. A text without a scheme gets `https://`.
  ///   - method: the method.
  ///   - parameters: sent as a JSON object in the body, with `Content-Type: application/json` unless `headers` has
  ///     another type, if the method has a body. Otherwise they are added to the query of the URL, in the order of
  ///     their names, as `String(describing:)` and percent-encoded.
  ///   - headers: added to the request.
  /// - Throws: `RequestError`.
  public init(
    path: String, method: HTTPMethod = .get, parameters: [String: any Sendable] = [:], headers: [String: String] = [:]
  ) throws(RequestError) {
    let hasBody = method.hasBody && !parameters.isEmpty
    let url = try URL(request: path)
    try self.init(url: hasBody || parameters.isEmpty ? url : url.adding(query: parameters))
    httpMethod = method.rawValue
    for (name, value) in headers {
      guard name.isHTTPToken, !value.contains(where: { $0.isNewline || $0 == "\0" }) else {
        throw .invalidHeader(name: name, value: value)
      }
      addValue(value, forHTTPHeaderField: name)
    }
    if hasBody {
      httpBody = try Self.json(parameters)
      if self.value(forHTTPHeaderField: "Content-Type") == nil {
        setValue("application/json", forHTTPHeaderField: "Content-Type")
      }
    }
  }

  /// Makes a request in a context, as `init(path:method:parameters:headers:)` does: a large body takes time to encode.
  ///
  /// - Returns: a future of the request, or of the `RequestError`.
  public static func making(
    path: String, method: HTTPMethod = .get, parameters: [String: any Sendable] = [:], headers: [String: String] = [:],
    on context: PromiseContext = .userInitiated
  ) -> Future<URLRequest, RequestError> {
    Future(on: context) { resolver in
      resolver.resolve(
        Result { () throws(RequestError) in
          try URLRequest(path: path, method: method, parameters: parameters, headers: headers)
        })
    }
  }

  private static func json(_ parameters: [String: any Sendable]) throws(RequestError) -> Data {
    for (name, value) in parameters where !JSONSerialization.isValidJSONObject([value]) {
      throw .invalidParameter(name: name)
    }
    do {
      return try JSONSerialization.data(withJSONObject: parameters, options: [.prettyPrinted, .sortedKeys])
    } catch {
      throw .invalidParameter(name: parameters.keys.sorted().joined(separator: ", "))
    }
  }
}

extension URL {
  /// Returns the URL with parameters added to its query.
  fileprivate func adding(query parameters: [String: any Sendable]) throws(RequestError) -> URL {
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else {
      throw .invalidURL(absoluteString)
    }
    let added = parameters.sorted { $0.key < $1.key }
      .map { "\($0.key.queryEncoded)=\(String(describing: $0.value).queryEncoded)" }
    let present = parts.percentEncodedQuery.map { $0.isEmpty ? [] : [$0] } ?? []
    parts.percentEncodedQuery = (present + added).joined(separator: "&")
    guard let url = parts.url else { throw .invalidURL(absoluteString) }
    return url
  }
}

extension String {
  /// The text, percent-encoded as a name or a value of a query.
  fileprivate var queryEncoded: String {
    let allowed = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: ":#[]@!$&'()*+,;="))
    return addingPercentEncoding(withAllowedCharacters: allowed) ?? self
  }

  /// Whether the text is a token of RFC 9110, section 5.6.2.
  fileprivate var isHTTPToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }
}
