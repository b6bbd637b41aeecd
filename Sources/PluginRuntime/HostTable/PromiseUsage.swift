import CPromise

/// Counts the promises and values of this process, and reports misuse of them: for programs that check plugins.
public enum PromiseUsage {
  /// The number of live objects: promises, callbacks, values that own memory, tokens, jobs and streams.
  public static var liveObjects: Int {
    var counts = promise_statistics_t()
    counts.size = UInt32(MemoryLayout<promise_statistics_t>.size)
    guard promise_statistics(&counts) == PROMISE_OK else { return 0 }
    let fields = [
      counts.promises_pending, counts.promises_settled, counts.callbacks, counts.values, counts.executors, counts.jobs,
      counts.tokens, counts.gathers, counts.publishers, counts.subscribers, counts.queues,
    ]
    return Int(fields.reduce(0, +))
  }

  /// Starts reporting misuse. Replaces the hooks of the process.
  ///
  /// - Parameters:
  ///   - settledAgain: called when a promise is resolved or rejected that was settled before.
  ///   - dropped: called when the last reference to a pending promise is released.
  /// - Returns: false if memory has run out.
  ///
  /// The closures run on the thread of the misuse.
  public static func observe(
    settledAgain: @escaping @Sendable () -> Void, dropped: @escaping @Sendable () -> Void
  ) -> Bool {
    var hooks = promise_hooks_t()
    hooks.size = UInt32(MemoryLayout<promise_hooks_t>.size)
    hooks.settled_again = { context, _, _, _ in Observer.of(context)?.settledAgain() }
    hooks.dropped_pending = { context, _, _ in Observer.of(context)?.dropped() }
    hooks.ctx = Unmanaged.passRetained(Observer(settledAgain, dropped)).toOpaque()
    hooks.free_ctx = { context in
      if let context { Unmanaged<Observer>.fromOpaque(context).release() }
    }
    return promise_set_hooks(&hooks) == PROMISE_OK
  }

  private final class Observer: Sendable {
    let settledAgain: @Sendable () -> Void
    let dropped: @Sendable () -> Void

    init(_ settledAgain: @escaping @Sendable () -> Void, _ dropped: @escaping @Sendable () -> Void) {
      (self.settledAgain, self.dropped) = (settledAgain, dropped)
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> Observer? {
      context.map { Unmanaged<Observer>.fromOpaque($0).takeUnretainedValue() }
    }
  }
}
