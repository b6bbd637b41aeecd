public import Foundation
public import FoundationNetworking

/// An HTTP response with its whole body.
public struct FetchedResponse: Sendable {
  /// The body; empty if there is none.
  public let data: Data
  /// The status, the headers, and the URL after all redirections.
  public let response: HTTPURLResponse

  /// Creates a response.
  public init(data: Data, response: HTTPURLResponse) {
    self.data = data
    self.response = response
  }

  /// The status, such as 404.
  public var status: Int { response.statusCode }
}
