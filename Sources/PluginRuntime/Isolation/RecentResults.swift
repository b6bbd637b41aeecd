/// The last calls of a worker whose results were sent and are small. A call that takes such a result may be on its way,
/// and need not wait for the host to send the result back.
struct RecentResults {
  /// The maximum number of calls.
  static let capacity = 32

  private var results: [(request: UInt64, value: PluginValue)] = []
  private var oldest = 0

  mutating func append(_ value: PluginValue, _ request: UInt64) {
    if results.count < Self.capacity { return results.append((request, value)) }
    results[oldest] = (request, value)
    oldest = (oldest + 1) % Self.capacity
  }

  subscript(request: UInt64) -> PluginValue? { results.first { $0.request == request }?.value }
}
