public import Foundation
import FoundationNetworking

/// The error of a fetch.
public enum FetchError: Error, Sendable {
  /// No request was sent.
  case request(RequestError)
  /// No complete response arrived: no connection, a timeout, a response cut short or malformed, too many redirections.
  case transport(any Error)
  /// The response is not an HTTP response.
  case notHTTP
  /// The status of the response is not an accepted one. The response is complete.
  case status(FetchedResponse)
  /// The response has an empty body.
  case noData
  /// The body does not have the expected form; the decoder's error.
  case decoding(any Error)

  /// The status of the response, if it was not accepted.
  public var statusCode: Int? {
    if case .status(let response) = self { response.status } else { nil }
  }

  /// The error of the transport, if it failed.
  public var urlError: URLError? {
    if case .transport(let error) = self { error as? URLError } else { nil }
  }
}

extension FetchError: CustomStringConvertible, LocalizedError {
  /// The reason, with the URL where there is one.
  public var description: String {
    switch self {
    case .request(let error): "no request was sent: \(error)"
    case .transport(let error): "no response: \(Self.text(of: error))"
    case .notHTTP: "the response is not one of HTTP: expected a URL that starts with http:// or https://"
    case .status(let response):
      "status \(response.status) from \(response.response.url?.absoluteString ?? "the server")"
    case .noData: "the response has no body"
    case .decoding(let error): "the response cannot be decoded: \(error)"
    }
  }

  /// The description.
  public var errorDescription: String? { description }

  private static func text(of error: any Error) -> String {
    guard let error = error as? URLError else { return "\(error)" }
    return
      "\(error.localizedDescription) (\(error.failingURL?.absoluteString ?? "URL unknown"), code \(error.code.rawValue))"
  }
}
