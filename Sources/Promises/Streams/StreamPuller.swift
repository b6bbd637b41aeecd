/// The source of an asynchronous sequence.
///
/// It takes the states that wait in the buffer in groups, each under one lock. While none wait, a callback gets one
/// state for each waiting iterator.
final class StreamPuller<Value: Sendable, Failure: Sendable>: Sendable {
  private typealias State = StreamState<Value, Failure>
  private typealias Waiter = CheckedContinuation<State?, Never>

  /// Apart from the puller, so that the callback does not keep the puller alive. Lock order: the subscriber's lock may
  /// be taken while this one is held.
  private final class Shared: Sendable {
    struct Content {
      var waiters: [Waiter] = []
      /// The states that were taken and not yet asked for, by any iterator.
      var group = EventQueue()
      var hasEnded = false
    }

    // Not a Mutex of Synchronization, which the thread sanitizer does not know.
    private nonisolated(unsafe) let content: Guarded<Content>

    init() {
      let made = unsafe Guarded.make(Content(), inChild: { _ in })
      guard let content = made else { fatalError("no memory for a stream") }
      unsafe self.content = content
    }

    deinit {
      release()
      unsafe content.state.deinitialize(count: 1)
      unsafe content.free()
    }

    private func locked<Result>(_ body: (inout Content) -> Result) -> Result {
      unsafe content.locked { unsafe body(&$0.pointee) }
    }

    /// Returns a state that waits; nil if there is none. Takes no group while another iterator waits, which would wait
    /// on although there are states.
    func pop(_ subscriber: CellSubscriber, groupsOf size: Int) -> State? {
      var first: CellSubscriber.Taking?
      var second: CellSubscriber.Taking?
      let entry = locked { content in
        let isNew = content.group.isEmpty
        if isNew { first = subscriber.take(content.waiters.isEmpty ? size : 0, &content.group) }
        let entry = content.group.pop()
        // The last one of a group: the group's capacity is free again.
        if !isNew, content.group.isEmpty { second = subscriber.take(0, &content.group) }
        return entry
      }
      first?.run()
      second?.run()
      guard let event = entry?.takeEvent() else { return nil }
      defer { event.release() }
      return (event.outcome.isRejected ? StoredState.error(event.value) : .value(event.value)).state()
    }

    enum Addition {
      case added
      case ended
      /// Another iterator has taken a group since this one looked.
      case late
    }

    func add(_ waiter: Waiter) -> Addition {
      locked { content in
        guard content.group.isEmpty else { return .late }
        guard !content.hasEnded else { return .ended }
        content.waiters.append(waiter)
        return .added
      }
    }

    func takeWaiter() -> Waiter? { locked { $0.waiters.isEmpty ? nil : $0.waiters.removeFirst() } }

    /// Ends the sequence after the states of the current group.
    func end() {
      let all = locked { content in
        content.hasEnded = true
        defer { content.waiters = [] }
        return content.waiters
      }
      for waiter in all { waiter.resume(returning: nil) }
    }

    /// Releases the states of the current group.
    func release() { locked { $0.group.take() }.release() }
  }

  private let node: StreamNode
  private let shared = Shared()
  private let subscriber: CellSubscriber
  private let groupSize: Int

  init(_ node: StreamNode, _ buffer: StreamBuffer) {
    self.node = node
    groupSize = buffer.groupSize
    subscriber = node.subscribe(on: .immediate, buffer, demand: 0) { [shared] stored in
      // There is a waiter for each state that was requested, unless the sequence was stopped.
      if case .end = stored { shared.end() } else { shared.takeWaiter()?.resume(returning: stored.state()) }
    }
  }

  deinit { subscriber.releaseHandle() }

  func next(isolation actor: isolated (any Actor)?) async -> StreamState<Value, Failure>? {
    if Task.isCancelled { stop() }
    if let state = shared.pop(subscriber, groupsOf: groupSize) { return state }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0) }
    } onCancel: {
      stop()
    }
  }

  private func wait(_ waiter: Waiter) {
    while true {
      switch shared.add(waiter) {
      case .added: return subscriber.request(1)
      case .ended: return waiter.resume(returning: nil)
      case .late:
        if let state = shared.pop(subscriber, groupsOf: groupSize) { return waiter.resume(returning: state) }
      }
    }
  }

  /// Ends the sequence.
  func stop() {
    _ = subscriber.cancel()
    shared.end()
    shared.release()
  }
}

extension StreamBuffer {
  /// The number of states that a sequence takes at once. States that may yet be dropped are taken one by one.
  fileprivate var groupSize: Int {
    switch self {
    case .unbounded: 64
    case .bounded(let limit): min(max(1, limit / 2), 64)
    case .newest, .oldest: 1
    }
  }
}
