import Promises

/// The calls that a worker has not answered, by their requests and by their promises.
struct RemoteCalls {
  private var calls: [UInt64: RemoteCall] = [:]
  /// The calls by the ids of their promises.
  private var producers: [UInt64: RemoteCall] = [:]

  var isEmpty: Bool { calls.isEmpty }
  var count: Int { calls.count }
  var values: some Collection<RemoteCall> { calls.values }

  /// The calls in the order of their requests.
  var sorted: [RemoteCall] { calls.values.sorted { $0.request < $1.request } }

  subscript(request: UInt64) -> RemoteCall? { calls[request] }

  /// Adds a call whose request is new.
  mutating func insert(_ call: RemoteCall) {
    producers[call.promise.id] = call
    calls[call.request] = call
  }

  @discardableResult
  mutating func removeValue(forKey request: UInt64) -> RemoteCall? {
    guard let call = calls.removeValue(forKey: request) else { return nil }
    producers[call.promise.id] = nil
    return call
  }

  /// Returns the request of the call whose result the promise is.
  func request(of promise: Promise<PluginValue>) -> UInt64? { producers[promise.id]?.request }

  /// Returns the request of the call whose result the promise is, and marks the result as taken by a later call.
  mutating func take(_ promise: Promise<PluginValue>) -> UInt64? {
    guard let call = producers[promise.id] else { return nil }
    call.isTaken = true
    return call.request
  }

  /// Takes a result as `take()` does; `nil` if a later call has taken it already.
  mutating func expect(_ promise: Promise<PluginValue>) -> UInt64? {
    producers[promise.id]?.isTaken == false ? take(promise) : nil
  }

  /// Returns the calls that have the result of a call among their arguments.
  func dependents(of request: UInt64) -> [RemoteCall] {
    calls.values.filter { $0.arguments.results.contains { $0.request == request } }
  }
}
