import Promises

/// The parts of the arguments of a call that stay in the host: shared memory, promises and callbacks.
struct OutgoingArguments {
  /// Blocks of the pool, kept until the call is answered, so that other calls with the same bytes share them.
  private var memory: [SharedBytes] = []
  private(set) var promises: [(number: UInt64, promise: Promise<PluginValue>)] = []
  /// Results of calls that the same worker had not answered, or keeps, which need not cross.
  var results: [PendingResult] = []
  private(set) var callbacks: [(number: UInt64, callback: PluginCallback)] = []

  /// Appends arguments to the body of a frame.
  ///
  /// - Throws: `CBORError` if a value is nested too deeply.
  mutating func encode(
    _ arguments: [Argument], into encoder: inout CBOREncoder, _ link: WorkerLink, _ pool: PoolMemory?
  ) throws(CBORError) {
    try ArgumentCoder.encode(
      arguments, into: &encoder, pool: pool,
      promise: { promise in
        let request = link.take(promise)
        // A frame of its own would take a send, and a thread of the worker.
        if request == nil, let value = promise.value, value.isShort { return .fulfilled(value) }
        let number = link.newRequest()
        if let request {
          results.append(PendingResult(request: request, number: number, promise: promise))
          return .result(request: request, number: number)
        }
        promises.append((number, promise))
        return .number(number)
      },
      callback: { callback in
        callbacks.append((link.newRequest(), callback))
        return callbacks[callbacks.count - 1].number
      })
    if pool != nil { memory = encoder.memory ?? [] }
  }

  /// Sends the outcome of each promise once it is settled. Call it after the call has been sent.
  func settleLater(_ link: WorkerLink) {
    for (number, promise) in promises { link.settle(number, with: promise) }
  }
}

/// The result of a call as an argument of a later one of the same worker.
struct PendingResult: Sendable {
  /// The call whose result it is.
  let request: UInt64
  /// The number by which a frame settles the argument if the worker no longer has that call.
  let number: UInt64
  let promise: Promise<PluginValue>
}
