// Several callbacks in a context share a local Mutex or Atomic if they are @Sendable, or if it is in a Sendable class.
import Promises
import Synchronization

final class Total: Sendable {
  let sum = Mutex(0)
}

func sums(_ future: Future<Int, Never>) -> Total {
  let sum = Mutex(0)
  let count = Atomic(0)
  let total = Total()
  for _ in 0..<5 {
    future.onSuccess(on: .utility) { @Sendable value in sum.withLock { $0 += value } }
    future.onSuccess(on: .utility) { @Sendable _ in count.add(1, ordering: .relaxed) }
    future.onSuccess(on: .utility) { value in total.sum.withLock { $0 += value } }
  }
  return total
}
