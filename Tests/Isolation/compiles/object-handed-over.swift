// A callback in a context may take over an object that is not Sendable, if the code around the callback does not use
// the object any more. A `sending` closure may be passed to a context.
import Promises

final class Counter {
  var count = 0
  func add(_ number: Int) -> Int {
    count += number
    return count
  }
}

func fill(from promise: Promise<Int>) -> Promise<Int> {
  let counter = Counter()
  return promise.then(on: .default) { counter.add($0) }
}

@MainActor func load(_ future: Future<Int, Never>) -> Future<Int, Never> {
  let counter = Counter()
  return future.map(on: .utility) { counter.add($0) }
}

func subscribe(_ numbers: Subscriber<Int, Never>) -> Subscriber<Int, Never> {
  let counter = Counter()
  return numbers.onNewData(on: .utility) { _ = counter.add($0) }
}

func observe(_ future: Future<Int, Never>, _ callback: sending @escaping (Int) -> Void) {
  future.onSuccess(on: .utility, callback)
}
