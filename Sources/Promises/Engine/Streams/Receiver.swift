/// The consumer of a subscriber's events.
@safe
package enum Receiver {
  /// C functions. An event without a function for it is ignored, as if it had not been published. `onEnd` is called
  /// when the stream has ended and the subscriber was not cancelled.
  case callbacks(onValue: Observer?, onError: Observer?, onEnd: FreeFunction?, Context)
  /// Promises returned by next(), one per event. The context is kept until the subscriber ends.
  case promises(Context)
  /// An operator.
  case stage(Stage)

  /// Whether the receiver consumes this kind of event at all.
  func wants(_ event: StreamEvent) -> Bool {
    switch self {
    case .callbacks(let onValue, let onError, _, _): unsafe (event.outcome.isRejected ? onError : onValue) != nil
    case .promises, .stage: true
    }
  }

  var isPromises: Bool {
    if case .promises = self { return true }
    return false
  }

  func release() {
    switch self {
    case .callbacks(_, _, _, let context), .promises(let context): Delivery.callOut { context.release() }
    case .stage(let stage): stage.release()
    }
  }
}

/// The policy for an event that exceeds a subscriber's capacity.
package enum Overflow: UInt32 {
  /// The capacity is unlimited.
  case buffer = 1
  /// The oldest queued event is dropped.
  case dropOldest
  case dropNewest
  /// The subscriber gets the queued events, then fails.
  case fail
}
