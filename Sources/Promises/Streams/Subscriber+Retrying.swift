extension Subscriber {
  /// Publishes the states of the stream that `make` returns. After an error it unsubscribes from that stream, drops the
  /// error, and publishes the stream that `make` returns next, at most `count` times; later errors pass. Ends with the
  /// stream that it publishes. The result is stateful; once it is cancelled, `make` is not called any more.
  ///
  /// `make` is called first in this call, then on the threads of the errors.
  public static func retry(_ count: Int, _ make: @escaping () -> Subscriber) -> Subscriber {
    let attempts = Publisher<Void, Failure>()
    var left = count
    let retried = attempts.subscriber().flatMapValues(.latest) {
      make().compactMapStates { state -> State? in
        switch state {
        case .error where left > 0:
          left -= 1
          attempts.kick()
          return nil
        case .cancelled: attempts.cancelAll()
        default: break
        }
        return state
      }
    }.stateful()
    // When the result is cancelled, its source stays subscribed; errors of the source must not cause another attempt.
    retried.onCancelled { attempts.cancelAll() }
    attempts.kick()
    return retried
  }
}
