import Promises

/// The arguments of one call on their way to a worker: the frame's part of them, and the promises and callbacks that
/// stay in the host.
struct OutgoingArguments {
  let body: PluginValue
  /// Shared memory that the body refers to, until the call is encoded.
  var memory: [SharedBytes]
  let promises: [(number: UInt64, promise: Promise<PluginValue>)]
  let callbacks: [(number: UInt64, callback: PluginCallback)]

  init(_ arguments: [Argument], _ link: WorkerLink) {
    var promises: [(number: UInt64, promise: Promise<PluginValue>)] = []
    var callbacks: [(number: UInt64, callback: PluginCallback)] = []
    var memory: [SharedBytes] = []
    body = ArgumentCoder.encode(
      arguments, memory: &memory,
      promise: { promise in
        promises.append((link.newRequest(), promise))
        return promises[promises.count - 1].number
      },
      callback: { callback in
        callbacks.append((link.newRequest(), callback))
        return callbacks[callbacks.count - 1].number
      })
    self.memory = memory
    self.promises = promises
    self.callbacks = callbacks
  }

  /// Sends the outcome of each promise, once it is settled. After the call has been sent.
  func settleLater(_ link: WorkerLink) {
    for (number, promise) in promises {
      promise.then(
        { link.reply(.settle, number, .success($0)) },
        { link.reply(.settle, number, .failure(CallbackRejection(reason: $0))) })
    }
  }
}
