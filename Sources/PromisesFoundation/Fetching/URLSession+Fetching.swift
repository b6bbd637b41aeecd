public import Foundation
public import FoundationNetworking
public import Promises

// fetch --a whole response--> fetchData --an accepted status, a body--> fetchDecoded, fetchJSON
//
// Asking any of the futures to cancel stops the transfer.
extension URLSession {
  /// Starts a transfer.
  ///
  ///     URLSession.shared.fetch(from: "example.org/users").onSuccess(on: .main) { show($0.status) }
  ///
  /// - Parameter source: a request, a URL or a text.
  /// - Returns: a future of the response, of any status. It is settled on the session's delegate queue. Asking
  ///   it to cancel cancels it at once and stops the transfer, as discarding it does. If the session cancels the
  ///   transfer, the future is cancelled. Releasing the future does not stop the transfer.
  ///   The body is kept in memory, and its size has no limit.
  /// - Precondition: the session is not invalidated. Foundation traps otherwise.
  public func fetch(from source: some URLRequestSource) -> Future<FetchedResponse, FetchError> {
    let request: URLRequest
    do { request = try source.makeURLRequest() } catch { return Future(rejected: .request(error)) }
    var transfer: URLSessionTask?
    let (future, resolver) = Future<FetchedResponse, FetchError>.makeWithResolver { transfer?.cancel() }
    let task = dataTask(with: request) { data, response, error in
      // The future is cancelled, or is about to be.
      if resolver.isCancelRequested { return }
      resolver.resolve(Self.outcome(data, response, error))
    }
    transfer = task
    resolver.onCancelRequest { resolver in
      task.cancel()
      resolver.cancel()
    }
    task.resume()
    return future
  }

  private static func outcome(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?)
    -> FutureResult<FetchedResponse, FetchError>
  {
    if let error {
      return (error as? URLError)?.code == .cancelled ? .cancelled(nil) : .rejected(.transport(error))
    }
    guard let response = response as? HTTPURLResponse else { return .rejected(.notHTTP) }
    return .fulfilled(FetchedResponse(data: data ?? Data(), response: response))
  }

  /// Starts a transfer, and checks the status and the body of the response.
  ///
  /// - Parameters:
  ///   - source: a request, a URL or a text.
  ///   - statuses: the accepted statuses. Another one rejects the future with `FetchError.status`.
  /// - Returns: a future of the body. An empty one rejects it with `FetchError.noData`. See `fetch(from:)` for
  ///   cancellation.
  public func fetchData(from source: some URLRequestSource, accepting statuses: ClosedRange<Int> = 200...299)
    -> Future<Data, FetchError>
  {
    fetch(from: source).mapResult { $0.flatMap { $0.checked(statuses) } }
  }

  /// Starts a transfer, checks the status of the response, and decodes the body.
  ///
  ///     URLSession.shared.fetchDecoded([User].self, from: "example.org/users")
  ///
  /// - Parameters:
  ///   - type: the type to decode.
  ///   - source: a request, a URL or a text.
  ///   - statuses: the accepted statuses.
  ///   - decoder: called on the session's delegate queue. Do not change its settings before the future is settled.
  /// - Returns: a future of the value. An error of the decoder rejects it with `FetchError.decoding`. See
  ///   `fetch(from:)` for cancellation.
  public func fetchDecoded<Object: Decodable>(
    _ type: Object.Type = Object.self, from source: some URLRequestSource,
    accepting statuses: ClosedRange<Int> = 200...299, decoder: JSONDecoder = JSONDecoder()
  ) -> Future<Object, FetchError> {
    fetchData(from: source, accepting: statuses).mapResult { result in
      result.flatMap { data in
        do { return .fulfilled(try decoder.decode(type, from: data)) } catch { return .rejected(.decoding(error)) }
      }
    }
  }

  /// Starts a transfer, checks the status of the response, and reads the body as JSON: dictionaries, arrays, `String`,
  /// `NSNumber` and `NSNull`.
  ///
  /// - Parameters:
  ///   - source: a request, a URL or a text.
  ///   - statuses: the accepted statuses.
  /// - Returns: a future of the value. A body that is not JSON rejects it with `FetchError.decoding`. See
  ///   `fetch(from:)` for cancellation.
  public func fetchJSON(from source: some URLRequestSource, accepting statuses: ClosedRange<Int> = 200...299)
    -> Future<Any, FetchError>
  {
    fetchData(from: source, accepting: statuses).mapResult { result in
      result.flatMap { data in
        do {
          return .fulfilled(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
        } catch {
          return .rejected(.decoding(error))
        }
      }
    }
  }
}

extension FetchedResponse {
  /// Returns the body if the status is accepted and the body is not empty; otherwise the error.
  fileprivate func checked(_ statuses: ClosedRange<Int>) -> FutureResult<Data, FetchError> {
    if !statuses.contains(status) { return .rejected(.status(self)) }
    return data.isEmpty ? .rejected(.noData) : .fulfilled(data)
  }
}
