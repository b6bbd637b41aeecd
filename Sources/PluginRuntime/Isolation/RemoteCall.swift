import Promises

/// A call that is under way in a worker, as its host notes it.
final class RemoteCall: Sendable {
  let request: UInt64
  let target: RemoteFunction
  let promise: Promise<PluginValue>
  let terms: CallTerms
  /// The number in progress reports, unique in the process.
  let number: UInt64
  let began: ContinuousClock.Instant
  /// The call's place among those in flight, until it has been answered.
  let slot: CallSlot?
  /// The interest in the result; `nil` for a result that is fetched.
  let demand: ResultDemand?

  // The link's lock guards the fields below, except `frame`, while the link has the call. The thread that removes the
  // call from the link then owns them.

  @exclusivity(unchecked) nonisolated(unsafe) var arguments: OutgoingArguments
  /// The frame, until it has been sent. Guarded by the lock of the sender.
  @exclusivity(unchecked) nonisolated(unsafe) private var frame: EncodedFrame
  /// The time at which the worker is killed, for the call was asked to stop.
  @exclusivity(unchecked) nonisolated(unsafe) var killTime: ContinuousClock.Instant?
  /// The caller's time limit, once it has passed.
  @exclusivity(unchecked) nonisolated(unsafe) var timedOut: Duration?
  /// Whether a later call has the result among its arguments, so that the worker may keep it.
  @exclusivity(unchecked) nonisolated(unsafe) var isTaken: Bool
  /// Errors that callbacks of the call threw, by their numbers.
  nonisolated(unsafe) var thrown: [UInt64: any Error] = [:]

  init(
    _ request: UInt64, _ target: RemoteFunction, settling promise: Promise<PluginValue>, _ terms: CallTerms,
    number: UInt64, began: ContinuousClock.Instant = .now, arguments: OutgoingArguments = OutgoingArguments(),
    frame: EncodedFrame = EncodedFrame(), slot: CallSlot? = nil, demand: ResultDemand? = nil, isTaken: Bool = false
  ) {
    (self.request, self.target, self.promise, self.terms) = (request, target, promise, terms)
    (self.number, self.began) = (number, began)
    (self.arguments, self.frame, self.isTaken) = (arguments, frame, isTaken)
    (self.slot, self.demand) = (slot, demand)
  }

  var function: String { target.name }

  /// Removes and returns the frame, to be sent.
  func takeFrame() -> EncodedFrame {
    defer { frame = EncodedFrame() }
    return frame
  }

  /// Whether releasing the call releases no closure and no error of the program, and no promise that others made.
  var isPlain: Bool {
    demand != nil && terms.progress == nil && arguments.callbacks.isEmpty && arguments.promises.isEmpty
      && thrown.isEmpty
  }

  /// The next time at which the call is to be stopped, or its worker killed.
  var nextTime: ContinuousClock.Instant? { killTime ?? terms.deadline }
}
