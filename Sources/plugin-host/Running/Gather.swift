import Promises
import Synchronization

/// A promise of the values of all `promises`, by their numbers. It is rejected with the reason of the first of them
/// that is rejected, as soon as that one is.
func gather<Value: Sendable>(_ promises: [(number: Int, promise: Promise<Value>)]) -> Promise<[Int: Value]> {
  let all = Promise<[Int: Value]>()
  let values = Gathered<Value>(count: promises.count)
  if promises.isEmpty { all.resolve([:]) }
  for (number, promise) in promises {
    promise.then({ if let complete = values.add($0, number: number) { all.resolve(complete) } }, { all.reject($0) })
  }
  return all
}

/// The values that are there; the promises may be settled on several threads at once.
private final class Gathered<Value: Sendable>: Sendable {
  private let count: Int
  private let values = Mutex<[Int: Value]>([:])

  init(count: Int) {
    self.count = count
  }

  /// Returns all values when this is the last.
  func add(_ value: Value, number: Int) -> [Int: Value]? {
    values.withLock { values in
      values[number] = value
      return values.count == count ? values : nil
    }
  }
}
