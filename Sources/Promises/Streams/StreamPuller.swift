/// The source of an asynchronous sequence: a callback that gets one state for each waiting iterator.
final class StreamPuller<Value: Sendable, Failure: Sendable>: Sendable {
  private typealias Waiter = CheckedContinuation<StreamState<Value, Failure>?, Never>

  /// The waiting iterators. Guarded by the lock of the stream; apart from the puller, so that the callback does not
  /// keep the puller alive.
  private final class Waiters: Sendable {
    let cell: CellPublisher
    nonisolated(unsafe) var waiting: [Waiter] = []
    nonisolated(unsafe) var hasEnded = false

    init(_ cell: CellPublisher) { self.cell = cell }

    /// Adds a waiter; false after the end.
    func add(_ waiter: Waiter) -> Bool {
      cell.locked { _ in
        if unsafe !hasEnded { unsafe waiting.append(waiter) }
        return unsafe !hasEnded
      }
    }

    func take() -> Waiter? { cell.locked { _ in unsafe waiting.isEmpty ? nil : waiting.removeFirst() } }

    func end() {
      let all = cell.locked { _ in
        unsafe hasEnded = true
        defer { unsafe waiting = [] }
        return unsafe waiting
      }
      for waiter in all { waiter.resume(returning: nil) }
    }
  }

  private let node: StreamNode
  private let waiters: Waiters
  private let subscriber: CellSubscriber

  init(_ node: StreamNode, _ buffer: StreamBuffer) {
    self.node = node
    let waiters = Waiters(node.cell)
    self.waiters = waiters
    subscriber = node.subscribe(on: .immediate, buffer, demand: 0) { stored in
      // There is a waiter for each state that was asked for, unless the sequence was stopped.
      if case .end = stored { waiters.end() } else { waiters.take()?.resume(returning: stored.state()) }
    }
  }

  deinit { subscriber.releaseHandle() }

  func next(isolation actor: isolated (any Actor)?) async -> StreamState<Value, Failure>? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        if waiters.add(waiter) { subscriber.request(1) } else { waiter.resume(returning: nil) }
      }
    } onCancel: {
      stop()
    }
  }

  /// Ends the sequence.
  func stop() {
    _ = subscriber.cancel()
    waiters.end()
  }
}
