/// The last calls of a worker whose results were sent and are small. A call that takes such a result may be on its way,
/// and need not wait for the host to send the result back.
struct RecentResults {
  /// The maximum number of calls.
  static let capacity = 32

  private var calls: [(request: UInt64, call: WorkerCall)] = []
  private var oldest = 0

  mutating func append(_ call: WorkerCall, _ request: UInt64) {
    if calls.count < Self.capacity { return calls.append((request, call)) }
    calls[oldest] = (request, call)
    oldest = (oldest + 1) % Self.capacity
  }

  subscript(request: UInt64) -> WorkerCall? { calls.first { $0.request == request }?.call }
}
