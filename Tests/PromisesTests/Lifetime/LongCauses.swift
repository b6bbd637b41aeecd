import Promises
import PromisesTestSupport
import Testing

@Suite("Errors with many causes")
struct LongCauses {
  @Test("the time of a description grows with their number, and not with its square")
  func description() {
    let cause = PromiseError(domain: "test", code: 1, message: "a cause")
    let times = [5_000, 20_000].map { count in
      let error = PromiseError(
        domain: "test", code: 2, message: "failed", causes: Array(repeating: cause, count: count))
      // The least of several, for something else may disturb one.
      return (0..<5).map { _ in threadTime { #expect(error.description.utf8.count > 30 * count) } }.min() ?? 0
    }
    #expect(times[1] < 8 * times[0], "\(times) ns for one number and four times that")
  }
}
