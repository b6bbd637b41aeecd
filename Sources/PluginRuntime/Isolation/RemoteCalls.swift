import Promises

/// The calls that a worker has not answered, by their requests and by their promises.
struct RemoteCalls: Sequence {
  private var calls: [UInt64: RemoteCall] = [:]
  /// The requests of the promises in `calls`, which keeps them.
  private var requests: [ObjectIdentifier: UInt64] = [:]

  var isEmpty: Bool { calls.isEmpty }
  var count: Int { calls.count }
  var values: some Collection<RemoteCall> { calls.values }

  func makeIterator() -> Dictionary<UInt64, RemoteCall>.Iterator { calls.makeIterator() }

  subscript(request: UInt64) -> RemoteCall? {
    get { calls[request] }
    set {
      if let old = calls[request], old.promise !== newValue?.promise { requests[ObjectIdentifier(old.promise)] = nil }
      calls[request] = newValue
      if let newValue { requests[ObjectIdentifier(newValue.promise)] = request }
    }
  }

  mutating func removeValue(forKey request: UInt64) -> RemoteCall? {
    defer { self[request] = nil }
    return calls[request]
  }

  /// The call whose result a promise is.
  func request(of promise: Promise<PluginValue>) -> UInt64? { requests[ObjectIdentifier(promise)] }

  /// The calls that have the result of a call among their arguments.
  func dependents(of request: UInt64) -> [UInt64] {
    calls.filter { $0.value.arguments.results.contains { $0.request == request } }.map(\.key)
  }
}
