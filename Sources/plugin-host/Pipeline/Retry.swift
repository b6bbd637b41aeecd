/// The number, the delays and the causes of the retries of a call.
struct Retry: Equatable, Sendable {
  /// The number of calls after the first.
  var times: Int
  /// The time before the second call, in seconds.
  var delay = 1.0
  /// The factor from one delay to the next.
  var factor = 2.0
  /// The longest delay, in seconds.
  var limit = 60.0
  /// The failures that are retried: `timeout`, or a part of an error's message, domain and code. Empty: all failures.
  var on: [String] = []

  /// Whether a call is made again after that failure.
  func applies(to failure: CallFailure) -> Bool {
    switch failure {
    case .timedOut: on.isEmpty || on.contains("timeout")
    case .rejected(let message, _): on.isEmpty || on.contains { $0 != "timeout" && message.contains($0) }
    case .notRun, .interrupted, .wrongArguments, .skipped: false
    }
  }

  /// Whether another call follows the one with that number, counted from 1, after that failure.
  func follows(_ failure: CallFailure, of number: Int) -> Bool { number <= times && applies(to: failure) }

  /// Returns the time before the retry with that number, counted from 1, in seconds.
  func delay(before number: Int) -> Double {
    var seconds = delay
    for _ in 1..<max(number, 1) where seconds < limit { seconds *= factor }
    return min(seconds, limit)
  }
}
