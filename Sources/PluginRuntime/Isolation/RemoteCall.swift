import Promises

/// A call that is under way in a worker, as its host notes it.
final class RemoteCall: Sendable {
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

  // The rest is guarded by the lock of the link while the call is one of the link's, and then of the thread that took
  // it out.

  nonisolated(unsafe) var arguments: OutgoingArguments
  /// The frame, until it has been sent.
  nonisolated(unsafe) var frame: EncodedFrame
  /// The time at which the call is asked to stop.
  nonisolated(unsafe) var deadline: ContinuousClock.Instant?
  /// The time at which the worker is killed, for the call was asked to stop.
  nonisolated(unsafe) var killTime: ContinuousClock.Instant?
  /// The caller's time limit, once it has passed.
  nonisolated(unsafe) var timedOut: Duration?
  /// Whether a later call has the result among its arguments, so that the worker may keep it.
  nonisolated(unsafe) var isTaken: Bool
  /// Errors that callbacks of the call threw, by their numbers.
  nonisolated(unsafe) var thrown: [UInt64: any Error] = [:]

  init(
    _ target: RemoteFunction, settling promise: Promise<PluginValue>, number: UInt64,
    began: ContinuousClock.Instant = .now, arguments: OutgoingArguments = OutgoingArguments(),
    frame: EncodedFrame = EncodedFrame(), deadline: ContinuousClock.Instant? = nil,
    progress: (@Sendable (ProgressReport) -> Void)? = nil, slot: CallSlot? = nil, timeout: Duration? = nil,
    demand: ResultDemand? = nil, use: CallUse? = nil, isTaken: Bool = false
  ) {
    (self.target, self.promise, self.number, self.began) = (target, promise, number, began)
    (self.arguments, self.frame, self.deadline, self.isTaken) = (arguments, frame, deadline, isTaken)
    (self.progress, self.slot, self.timeout, self.demand, self.use) = (progress, slot, timeout, demand, use)
  }

  var function: String { target.name }

  /// Whether the release of the call releases nothing of the program's: no closure, and no promise of another maker.
  var isPlain: Bool { demand != nil && progress == nil && arguments.callbacks.isEmpty && arguments.promises.isEmpty }

  /// The next time at which something is to be done.
  var nextTime: ContinuousClock.Instant? { killTime ?? deadline }
}
