/// Who a subscriber's events are for.
@safe
package enum Receiver {
  /// C functions; an event for which there is none is passed over, as if it had not been published.
  case callbacks(onValue: Observer?, onError: Observer?, Context)
  /// The promises that somebody asks for, one for each event. The context is kept for as long as the subscriber lasts.
  case promises(Context)
  /// An operator.
  case stage(Stage)

  /// Whether it has an event at all.
  func wants(_ event: StreamEvent) -> Bool {
    switch self {
    case .callbacks(let onValue, let onError, _): unsafe (event.outcome.isRejected ? onError : onValue) != nil
    case .promises, .stage: true
    }
  }

  var isPromises: Bool {
    if case .promises = self { return true }
    return false
  }

  func release() {
    switch self {
    case .callbacks(_, _, let context), .promises(let context): Delivery.callOut { context.release() }
    case .stage(let stage): stage.release()
    }
  }
}

/// What becomes of an event for which a subscriber has no room.
package enum Overflow: UInt32 {
  /// There is room for any number.
  case buffer = 1
  /// The oldest one that waits is dropped instead.
  case dropOldest
  case dropNewest
  /// The subscriber has what waits, then fails.
  case fail
}
