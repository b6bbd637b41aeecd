extension PromiseTrace {
  /// An event in the life of a promise or of a callback.
  public struct Event: Sendable {
    /// The kind of an event.
    public enum Kind: Sendable, Equatable {
      /// The promise was created: on its own, or as the result of a callback of `parent`.
      case created
      /// A callback that settles nothing was attached to `parent`, or the promise follows or combines `parent`.
      case attached
      /// The promise was fulfilled or rejected. Its callbacks run next.
      case settled(PromiseState)
      /// The callback begins.
      case began
      /// The callback has returned, on the same thread.
      case ended
      /// The promise was destroyed while pending.
      case dropped
    }

    /// The kind of the event.
    public let kind: Kind
    /// The number of the promise, or of the callback.
    public let id: UInt64
    /// The number of the promise that this one was derived from, or that the callback is attached to; `nil` if none.
    public let parent: UInt64?
    /// The time of the monotonic clock, in nanoseconds.
    public let time: Int64
    /// The kernel's number of the thread.
    public let thread: Int32
  }

  /// Starts a trace that also calls a closure with each event. It replaces the previous trace and drops its events.
  ///
  /// - Parameters:
  ///   - capacity: the number of events that the ring buffer keeps for `write(to:as:)`; 0 keeps none.
  ///   - onEvent: called on the thread of the event, with no lock held. Events within the call are not traced. Events
  ///     of several threads may arrive in another order than that of their times. It is released after the trace was
  ///     stopped or replaced and its last running call has returned.
  /// - Thread: any.
  public static func start(capacity: Int = 0, onEvent: @escaping @Sendable (Event) -> Void) {
    precondition(capacity >= 0, "the capacity of a trace cannot be negative")
    let call: Trace.Function = { context, event in
      guard let event = unsafe Event(event.load(as: Trace.Event.self)) else { return }
      unsafe Context.value((@Sendable (Event) -> Void).self, in: context)(event)
    }
    guard unsafe Trace.start(capacity: capacity, call, Context(keeping: onEvent)) else {
      fatalError("no memory for a trace")
    }
  }
}

extension PromiseTrace.Event {
  /// Converts an event of the engine; nil for a kind that this version does not know.
  fileprivate init?(_ event: Trace.Event) {
    switch Trace.Kind(rawValue: event.kind) {
    case .created: kind = .created
    case .attached: kind = .attached
    case .settled: kind = .settled(event.state == 3 ? .rejected : .fulfilled)
    case .began: kind = .began
    case .ended: kind = .ended
    case .dropped: kind = .dropped
    default: return nil
    }
    id = event.id
    parent = event.parent == 0 ? nil : event.parent
    time = event.time
    thread = event.thread
  }
}
