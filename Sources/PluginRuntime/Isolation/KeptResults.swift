import Promises

/// The result of a call that its worker keeps, because a later call of the worker takes it. It is sent to the host when
/// somebody reads its promise.
struct KeptResult {
  enum Place {
    case worker
    /// Fetched, or lost with its worker: the promise that has the outcome.
    case host(Promise<PluginValue>)
  }

  let request: UInt64
  let target: RemoteFunction
  /// The number in progress reports.
  let number: UInt64
  let began: ContinuousClock.Instant
  /// The id of the promise, not a reference: the result is dropped when the promise is destroyed.
  let promise: UInt64
  /// The size of the value in bytes, as its worker counts it.
  let size: UInt64
  var place = Place.worker

  init(_ call: RemoteCall, size: UInt64) {
    (request, target, number, began) = (call.request, call.target, call.number, call.began)
    promise = call.promise.id
    self.size = size
  }

  /// Returns a call that fetches the value.
  func call(settling promise: Promise<PluginValue>) -> RemoteCall {
    RemoteCall(request, target, settling: promise, CallTerms(), number: number, began: began)
  }
}

/// The results that the workers of a link keep, by their requests and by their promises.
struct KeptResults {
  private var results: [UInt64: KeptResult] = [:]
  private var requests: [UInt64: UInt64] = [:]

  subscript(request: UInt64) -> KeptResult? {
    get { results[request] }
    set {
      if let old = results[request] { requests[old.promise] = nil }
      results[request] = newValue
      if let newValue { requests[newValue.promise] = request }
    }
  }

  /// The number of the results in the worker, and their size in bytes.
  var size: (count: Int, bytes: UInt64) {
    results.values.reduce(into: (0, 0)) { size, result in
      if case .worker = result.place { size = (size.count + 1, size.bytes &+ result.size) }
    }
  }

  /// Returns the call whose result the promise is; `nil` if the worker does not keep that result.
  func request(of promise: Promise<PluginValue>) -> UInt64? {
    guard let request = requests[promise.id], case .worker? = results[request]?.place else { return nil }
    return request
  }

  /// Moves the results that are in the worker to the host, each to a promise that it takes from `promises`, which must
  /// be enough. Returns the calls that settle these promises.
  mutating func moveToHost(_ promises: inout [Promise<PluginValue>]) -> [RemoteCall] {
    results.filter { if case .worker = $0.value.place { true } else { false } }.sorted { $0.key < $1.key }.map {
      let promise = promises.removeLast()
      results[$0.key]?.place = .host(promise)
      return $0.value.call(settling: promise)
    }
  }
}
