/// The states that wait for a subscriber: for its demand, its context, or its running callback.
///
/// A limit below 1 counts as 1.
public enum StreamBuffer: Sendable, Hashable {
  /// Keeps all states. The subscriber is never full.
  case unbounded
  /// Keeps all states. From this number on the subscriber is full, and so are the streams upstream, up to the
  /// publisher: back-pressure for the producer (``Publisher/ready()``). An asynchronous sequence takes the states in
  /// groups of up to half the limit, at most 64; each counts as waiting until the last one of its group was asked for.
  case bounded(Int)
  /// Keeps this number of the newest states, and drops older ones.
  case newest(Int)
  /// Keeps this number of the oldest states, and drops new ones.
  case oldest(Int)

  var policy: (Overflow, capacity: Int) {
    switch self {
    case .unbounded: (.buffer, 0)
    case .bounded(let limit): (.buffer, max(1, limit))
    case .newest(let limit): (.dropOldest, max(1, limit))
    case .oldest(let limit): (.dropNewest, max(1, limit))
    }
  }
}
