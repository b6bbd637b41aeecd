import Glibc
import Promises
import Testing

@Suite("Errors with many causes")
struct LongCauses {
  /// Nanoseconds of this thread: the least of several, for something else may disturb one.
  private static func time(_ work: () -> Void) -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
    return (0..<5).map { _ in
      let start = now()
      work()
      return now() - start
    }.min() ?? 0
  }

  @Test("the time of a description grows with their number, and not with its square")
  func description() {
    let cause = PromiseError(domain: "test", code: 1, message: "a cause")
    let times = [5_000, 20_000].map { count in
      let error = PromiseError(
        domain: "test", code: 2, message: "failed", causes: Array(repeating: cause, count: count))
      return Self.time { #expect(error.description.utf8.count > 30 * count) }
    }
    #expect(times[1] < 8 * times[0], "\(times) ns for one number and four times that")
  }
}
