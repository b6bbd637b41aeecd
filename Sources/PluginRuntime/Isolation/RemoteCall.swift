import Promises

/// A call that is under way in a worker, as its host notes it.
struct RemoteCall {
  let function: String
  let signature: Signature
  let promise: Promise<PluginValue>
  let progress: (@Sendable (ProgressReport) -> Void)?
  /// The number in progress reports, unlike that of any other call of the process.
  let number: UInt64
  var began = ContinuousClock.now
  var arguments: OutgoingArguments
  /// The call's place among those in flight, until it has been answered.
  let slot: CallSlot?
  /// The frame, until it has been sent.
  var frame: EncodedFrame
  /// The time at which the call is asked to stop.
  var deadline: ContinuousClock.Instant?
  /// The time at which the worker is killed, for the call was asked to stop.
  var killTime: ContinuousClock.Instant?
  /// The caller's time limit, once it has passed.
  var timedOut: Duration?
  let timeout: Duration?
  /// Whether somebody reads the promise; `nil` for a result that is fetched.
  var demand: ResultDemand?
  /// The call as work of its host, until it has ended.
  var use: CallUse?
  /// Whether a later call has the result among its arguments, so that the worker may keep it.
  var isTaken = false
  /// Errors that callbacks of the call threw, by their numbers.
  var thrown: [UInt64: any Error] = [:]

  /// The next time at which something is to be done.
  var nextTime: ContinuousClock.Instant? { killTime ?? deadline }
}
