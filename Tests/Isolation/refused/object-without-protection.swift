// expect: passing closure as a 'sending' parameter risks causing data races between code in the current task
// An object that is not Sendable cannot be used from the pool. This holds for mappings too.
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
