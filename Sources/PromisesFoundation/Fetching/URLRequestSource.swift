public import Foundation
public import FoundationNetworking

/// A value that names a request: the argument of `URLSession.fetch(from:)` and its relatives.
public protocol URLRequestSource {
  /// Makes the request.
  ///
  /// - Throws: `RequestError`, if the value does not name a request.
  func makeURLRequest() throws(RequestError) -> URLRequest
}

extension URLRequest: URLRequestSource {
  /// Returns the request itself. An HTTP request must have a host.
  public func makeURLRequest() throws(RequestError) -> URLRequest {
    guard let url, url.hasHostIfHTTP else { throw .invalidURL(url?.absoluteString ?? "") }
    return self
  }
}

extension URL: URLRequestSource {
  /// Makes a GET request.
  public func makeURLRequest() throws(RequestError) -> URLRequest { try URLRequest(url: self).makeURLRequest() }
}

extension String: URLRequestSource {
  /// Makes a GET request. A text without a scheme gets `https://`.
  public func makeURLRequest() throws(RequestError) -> URLRequest { try URLRequest(url: URL(request: self)) }
}

extension NSString: URLRequestSource {
  /// Makes a GET request. A text without a scheme gets `https://`.
  public func makeURLRequest() throws(RequestError) -> URLRequest { try (self as String).makeURLRequest() }
}

extension URL {
  /// Parses a URL of a request. A text without a scheme gets `https://`.
  init(request text: String) throws(RequestError) {
    let whole = text.hasScheme ? text : "https://" + text
    guard let url = URL(string: whole, encodingInvalidCharacters: false), url.hasHostIfHTTP else {
      throw .invalidURL(text)
    }
    self = url
  }

  fileprivate var hasHostIfHTTP: Bool {
    guard let scheme = scheme?.lowercased() else { return false }
    return !["http", "https"].contains(scheme) || host()?.isEmpty == false
  }
}

extension String {
  /// Whether the text begins with a scheme (RFC 3986, section 3.1) and `://`. The query may contain another URL.
  fileprivate var hasScheme: Bool { prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:\/\//) != nil }
}
