import Foundation
import FoundationNetworking
import Promises
import PromisesFoundation
import Testing

/// Runs `body` with a session and a server, then stops both, and the transfers in progress.
func withServer<Result>(
  _ handler: @escaping LoopbackServer.Handler, _ body: (URLSession, LoopbackServer) throws -> Result
) throws -> Result {
  let configuration = URLSessionConfiguration.ephemeral
  configuration.urlCache = nil
  let session = URLSession(configuration: configuration)
  defer { session.invalidateAndCancel() }
  return try LoopbackServer.with(handler) { try body(session, $0) }
}

extension Future {
  /// Waits for the outcome; fails the test after two minutes.
  func ending() -> FutureResult<Value, Failure> {
    do { return try wait(timeout: 1_800) } catch {
      Issue.record(error)
      return .cancelled(error)
    }
  }
}

extension FutureResult where Failure == FetchError {
  /// The name of the error's case; nil if there is no error.
  var errorKind: String? {
    switch error {
    case nil: nil
    case .request: "request"
    case .transport: "transport"
    case .notHTTP: "notHTTP"
    case .status(let response): "status \(response.status)"
    case .noData: "noData"
    case .decoding: "decoding"
    }
  }
}

extension URL {
  /// A request with a time limit that no test reaches, so that only the test itself ends the transfer.
  var withoutTimeLimit: URLRequest {
    var request = URLRequest(url: self)
    request.timeoutInterval = 3600
    return request
  }
}
