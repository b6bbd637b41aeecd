import Promises
import PromisesTestSupport
import Testing

/// One future of each outcome.
enum Endings {
  static let all: [FutureResult<Int, TestError>] = [
    .fulfilled(1), .rejected(TestError(2)), .cancelled(nil), .cancelled(OtherError()),
  ]
  static var settled: [Future<Int, TestError>] { all.map { Future(with: $0) } }

  /// Returns the events that `attach` records for each outcome, which are the same for a settled and a pending future.
  static func record(_ attach: (Future<Int, TestError>, Recorder<String>) -> Void) -> [[String]] {
    all.map { outcome in
      let late = Recorder<String>()
      attach(Future(with: outcome), late)
      let log = Recorder<String>()
      let (future, resolver) = Future<Int, TestError>.makeWithResolver()
      attach(future, log)
      #expect(log.events == [])
      resolver.resolve(outcome)
      #expect(late.events == log.events)
      return log.events
    }
  }
}
