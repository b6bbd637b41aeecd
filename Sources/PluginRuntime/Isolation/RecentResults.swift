/// The last results of a worker that were sent, and are small. A call that takes such a result may be under way: it
/// need not wait for the host to send the result back.
struct RecentResults {
  /// The number of results.
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
