import Synchronization

/// A report of a plugin on its work.
struct Progress: Sendable {
  let fraction: Double?
  let message: String?

  /// A report from C: a negative fraction, or NaN, is unknown; one above 1 is 1.
  init(fraction: Double, message: String?) {
    self.fraction = fraction >= 0 ? min(fraction, 1) : nil
    self.message = message
  }
}

/// Delivers the reports of one call in order and one at a time, although several threads may report. A thread that
/// reports while another is delivering queues its report for that thread. At most `limit` reports wait: the next one
/// takes the place of the last.
struct ProgressQueue: ~Copyable, Sendable {
  // Not private: other files destroy the queue, and Swift 6.3 crashes on a private type that they then need.
  struct State {
    var waiting = Fifo<ProgressReport>()
    var isDelivering = false
  }

  private let state = Mutex(State())
  typealias Receiver = @Sendable (ProgressReport) -> Void
  private let first: Receiver?
  private let second: Receiver?

  /// Creates a queue that passes each report to both receivers.
  init(_ first: Receiver?, _ second: Receiver?) { (self.first, self.second) = (first, second) }

  /// The maximum number of reports that wait.
  static let limit = 1_000

  /// Queues a report for the next delivery. Calls no receiver.
  func append(_ report: ProgressReport) {
    state.withLock { state in
      if state.waiting.count == Self.limit { _ = state.waiting.popLast() }
      state.waiting.append(report)
    }
  }

  /// Delivers the waiting reports, unless another thread is delivering.
  func deliver() {
    let isFirst = state.withLock { state in
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    guard isFirst else { return }
    while let next = take() {
      first?(next)
      second?(next)
    }
  }

  private func take() -> ProgressReport? {
    state.withLock { state in
      let report = state.waiting.popFirst()
      if report == nil { state.isDelivering = false }
      return report
    }
  }
}
