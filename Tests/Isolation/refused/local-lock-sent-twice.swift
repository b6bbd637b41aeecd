// expect: sending value of non-Sendable type '(Int) -> Void' risks causing data races
// A closure that is sent takes a local Mutex or Atomic with it: a second closure cannot use it. See shared-lock.swift.
import Promises
import Synchronization

func sum(_ future: Future<Int, Never>) {
  let total = Mutex(0)
  future.onSuccess(on: .utility) { value in total.withLock { $0 += value } }
  future.onSuccess(on: .utility) { value in total.withLock { $0 -= value } }
}
