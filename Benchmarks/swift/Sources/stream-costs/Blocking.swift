import Dispatch
import Synchronization

/// Runs an asynchronous function in a task of its own, and waits for its result.
func blocking(_ body: @escaping @Sendable () async -> Int) -> Int {
  let done = DispatchSemaphore(value: 0)
  let result = Box()
  Task.detached {
    result.value.store(await body(), ordering: .relaxed)
    done.signal()
  }
  done.wait()
  return result.value.load(ordering: .relaxed)
}

private final class Box: Sendable { let value = Atomic<Int>(0) }
