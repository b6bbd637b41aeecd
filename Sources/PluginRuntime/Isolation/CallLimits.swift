/// The limits for the calls of one plugin in worker processes.
public struct CallLimits: Sendable, Equatable {
  /// The handling of a call that is made while `inFlight` calls have not ended.
  public enum Policy: Sendable, Equatable {
    /// The call waits, in the order of the calls. If `queue` calls wait already, it is rejected.
    case wait
    /// The call is rejected at once, with a `PluginError` of the kind `overloaded`.
    case reject
  }

  /// The maximum number of calls that the workers have at once. A call counts until its worker has answered, even after
  /// its promise was discarded.
  public var inFlight = Int.max
  /// The maximum number of calls that wait.
  public var queue = Int.max
  /// The maximum number of bytes of a result, and of any other frame of a worker, with its shared memory. A worker that
  /// sends more is killed. Results of `inFlight` calls can arrive at once, and the host copies them.
  public var resultBytes = Int.max
  /// The handling of further calls.
  public var whenFull = Policy.wait

  /// Creates limits with the defaults of the properties: none.
  public init() {}

  var areSet: Bool { inFlight != .max }
}
