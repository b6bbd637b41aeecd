// expect: capture of 'self' with non-Sendable type 'Cache' in a '@Sendable' closure
// An object that is not Sendable cannot be used from the pool, in a mapping either.
import Promises

final class Cache {
  var entries: [Int] = []

  func fill(from promise: Promise<Int>) -> Promise<Int> {
    promise.then(on: .default) { value in
      self.entries.append(value)
      return self.entries.count
    }
  }
}
