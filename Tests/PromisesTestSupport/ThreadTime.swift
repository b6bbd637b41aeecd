import Glibc

/// Returns the processor time of this thread that `work` takes, in nanoseconds.
package func threadTime(_ work: () throws -> Void) rethrows -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
  let start = now()
  try work()
  return now() - start
}

/// Repeats measurements, because other work of the machine only adds to them, and returns the least of each. Measures
/// at least three times, and up to a hundred times until `isEnough` accepts the results.
package func least(until isEnough: ([Double]) -> Bool, _ measure: () throws -> [Double]) rethrows -> [Double] {
  var least = try measure()
  for run in 1..<100 where run < 3 || !isEnough(least) {
    least = zip(least, try measure()).map { min($0, $1) }
  }
  return least
}
