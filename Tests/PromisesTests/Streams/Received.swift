import Promises
import PromisesTestSupport

/// Records the states that a subscriber delivers, and keeps the subscriber alive.
final class Received<Value: Sendable, Failure: Sendable>: Sendable {
  typealias State = StreamState<Value, Failure>

  let subscriber: Subscriber<Value, Failure>
  private let recorder = Recorder<State>()

  init(_ subscriber: Subscriber<Value, Failure>) {
    self.subscriber = subscriber
    subscriber.subscribe { [recorder] in recorder.record($0) }
  }

  var states: [State] { recorder.events }
  var values: [Value] { states.compactMap(\.value) }
}

/// A publisher that the fixture keeps alive until `release()`, in release builds too.
final class Stream<Value: Sendable, Failure: Sendable> {
  private var kept: Publisher<Value, Failure>?

  init(_ publisher: Publisher<Value, Failure> = Publisher()) { kept = publisher }

  var publisher: Publisher<Value, Failure> { kept! }

  func release() { kept = nil }

  func subscriber() -> Subscriber<Value, Failure> { publisher.subscriber() }

  func publish(_ states: StreamState<Value, Failure>...) {
    for state in states {
      switch state {
      case .data(let value): publisher.publish(value)
      case .error(let error): publisher.publish(error: error)
      case .cancelled: publisher.cancelAll()
      }
    }
  }
}

extension Stream {
  /// Runs `body` with a stream that lives until it returns.
  static func with<Result>(
    _ publisher: Publisher<Value, Failure> = Publisher(), _ body: (Stream) throws -> Result
  ) rethrows -> Result {
    let stream = Stream(publisher)
    return try withExtendedLifetime(stream) { try body(stream) }
  }
}

/// The stream that most of these tests use.
typealias Numbers = Stream<Int, TestError>
typealias NumberState = StreamState<Int, TestError>
