import Glibc
import Promises

/// A thread of its own, with a stack of a given size. Every thread must be joined.
package final class Thread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts a thread that runs `body`.
  package init(stackSize: Int = 8 << 20, _ body: @escaping () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    precondition(pthread_attr_setstacksize(&attributes, stackSize) == 0, "a stack of \(stackSize) bytes is refused")
    var thread = pthread_t()
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(Body(body)).toOpaque())
    precondition(status == 0, "pthread_create failed with \(status)")
    handle = thread
  }

  /// Waits until the thread has ended.
  package func join() { pthread_join(handle, nil) }
}

private final class Body {
  let run: () -> Void
  init(_ run: @escaping () -> Void) { self.run = run }
}

/// Runs `body` on a thread with a stack of `stackSize` bytes, and waits for its result.
package func onThread<Result>(stackSize: Int = 512 << 10, _ body: () -> Result) -> Result {
  withoutActuallyEscaping(body) { body in
    nonisolated(unsafe) var result: Result?
    Thread(stackSize: stackSize) { result = body() }.join()
    return result!
  }
}

/// Runs `body` with 0, 1, ... on `count` threads that start `body` at the same moment, and waits until all have ended.
package func onThreads(_ count: Int, _ body: (_ index: Int) -> Void) {
  let start = Gate(count: count)
  withoutActuallyEscaping(body) { body in
    let threads = (0..<count).map { index in
      Thread {
        start.meet()
        body(index)
      }
    }
    for thread in threads { thread.join() }
  }
}

/// Returns an identity of the calling thread, to find out on which thread a callback ran.
package func currentThread() -> UInt { UInt(pthread_self()) }

/// Runs each job on a thread of its own before `submit` returns, so that the attaching call is still in progress when
/// the callback has run.
package final class ThreadExecutor: PromiseExecutor {
  package init() {}
  package func submit(_ job: PromiseJob) { onThread { _ = job.run() } }
}
