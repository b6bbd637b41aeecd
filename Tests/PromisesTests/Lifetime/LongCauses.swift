import Promises
import PromisesTestSupport
import Testing

@Suite("Errors with many causes")
struct LongCauses {
  @Test("describing an error takes time linear in the number of its causes")
  func description() {
    let cause = PromiseError(domain: "test", code: 1, message: "a cause")
    let counts = [5_000, 20_000]
    let errors = counts.map { count in
      PromiseError(domain: "test", code: 2, message: "failed", causes: Array(repeating: cause, count: count))
    }
    func isLinear(_ times: [Double]) -> Bool { times[1] < 8 * times[0] }
    let times = least(until: isLinear) {
      zip(counts, errors).map { count, error in threadTime { #expect(error.description.utf8.count > 30 * count) } }
    }
    #expect(isLinear(times), "\(times) ns for one number and four times that")
  }
}
