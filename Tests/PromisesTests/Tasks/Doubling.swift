import Promises
import PromisesTestSupport

/// A task that logs its calls. It doubles its input at once if `finishes` is true; otherwise the test finishes it.
class Doubling: FutureTask<Int, Int>, @unchecked Sendable {
  let log = Recorder<String>()
  private let finishes: Bool

  init(finishes: Bool = false) { self.finishes = finishes }

  override func start(with input: Int) {
    guard begin() else { return }
    log.record("start \(input)")
    if finishes { complete(with: 2 * input) }
  }

  override func wasCancelled(because indirectError: (any Error)?) {
    log.record("cancelled \(isCancelled) \(indirectError.map { "\($0)" } ?? "nil")")
  }
}
