import Promises

/// The arguments of one call on their way to a worker: the frame's part of them, and the promises and callbacks that
/// stay in the host.
struct OutgoingArguments {
  private var body: PluginValue
  /// Shared memory that the body refers to, until the call is encoded, or in a pool, where a later call may have the same,
  /// until the call is answered.
  var memory: [SharedBytes]
  let promises: [(number: UInt64, promise: Promise<PluginValue>)]
  /// Results of calls that the same worker had not answered, or keeps, which need not cross.
  var results: [PendingResult]
  let callbacks: [(number: UInt64, callback: PluginCallback)]

  /// No arguments.
  init() { (body, memory, promises, results, callbacks) = (.void, [], [], [], []) }

  init(_ arguments: [Argument], _ link: WorkerLink, _ pool: PoolMemory? = nil) {
    var promises: [(number: UInt64, promise: Promise<PluginValue>)] = []
    var callbacks: [(number: UInt64, callback: PluginCallback)] = []
    var results: [PendingResult] = []
    var memory: [SharedBytes] = []
    body = ArgumentCoder.encode(
      arguments, memory: &memory, pool: pool,
      promise: { promise in
        let number = link.newRequest()
        if let request = link.take(promise) {
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
    self.memory = memory
    self.promises = promises
    self.results = results
    self.callbacks = callbacks
  }

  /// The frame's part, which is not kept.
  mutating func takeBody() -> PluginValue {
    defer { body = .void }
    return body
  }

  /// Sends the outcome of each promise, once it is settled. After the call has been sent.
  func settleLater(_ link: WorkerLink) {
    for (number, promise) in promises { link.settle(number, with: promise) }
  }
}

/// The result of a call as an argument of a later one of the same worker.
struct PendingResult: Sendable {
  /// The call whose result it is.
  let request: UInt64
  /// The number by which a frame settles the argument if the worker has no such call any more.
  let number: UInt64
  let promise: Promise<PluginValue>
}
