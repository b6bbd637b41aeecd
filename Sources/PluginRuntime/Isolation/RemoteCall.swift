import Promises

/// A call that is under way in a worker, as its host notes it.
struct RemoteCall {
  /// The part that does not change, so that a copy is one reference.
  final class Facts: Sendable {
    let target: RemoteFunction
    let promise: Promise<PluginValue>
    let progress: (@Sendable (ProgressReport) -> Void)?
    /// The number in progress reports, unlike that of any other call of the process.
    let number: UInt64
    let began: ContinuousClock.Instant
    /// The call's place among those in flight, until it has been answered.
    let slot: CallSlot?
    /// The time limit of the caller.
    let timeout: Duration?
    /// Whether somebody reads the promise; `nil` for a result that is fetched.
    let demand: ResultDemand?
    /// The call as work of its host, until it has ended.
    let use: CallUse?

    init(
      _ target: RemoteFunction, settling promise: Promise<PluginValue>, number: UInt64,
      began: ContinuousClock.Instant = .now, progress: (@Sendable (ProgressReport) -> Void)? = nil,
      slot: CallSlot? = nil, timeout: Duration? = nil, demand: ResultDemand? = nil, use: CallUse? = nil
    ) {
      (self.target, self.promise, self.number, self.began) = (target, promise, number, began)
      (self.progress, self.slot, self.timeout, self.demand, self.use) = (progress, slot, timeout, demand, use)
    }
  }

  let facts: Facts
  var arguments = OutgoingArguments()
  /// The frame, until it has been sent.
  var frame = EncodedFrame()
  /// The time at which the call is asked to stop.
  var deadline: ContinuousClock.Instant?
  /// The time at which the worker is killed, for the call was asked to stop.
  var killTime: ContinuousClock.Instant?
  /// The caller's time limit, once it has passed.
  var timedOut: Duration?
  /// Whether a later call has the result among its arguments, so that the worker may keep it.
  var isTaken = false
  /// Errors that callbacks of the call threw, by their numbers.
  var thrown: [UInt64: any Error] = [:]

  var target: RemoteFunction { facts.target }
  var function: String { facts.target.name }
  var promise: Promise<PluginValue> { facts.promise }
  var began: ContinuousClock.Instant { facts.began }
  var timeout: Duration? { facts.timeout }

  /// The next time at which something is to be done.
  var nextTime: ContinuousClock.Instant? { killTime ?? deadline }
}
