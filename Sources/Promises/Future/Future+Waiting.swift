extension Future {
  /// Blocks the thread until the future is settled, and returns how.
  ///
  /// - Parameter timeout: for how many seconds at most; 0 or less only looks, `nil` is for ever.
  /// - Throws: `WaitError.timedOut`; `WaitError.deadlock` at once, if the future waits for a callback that this very
  ///   thread is in the middle of. Other deadlocks are not found: do not block a queue that the future needs.
  @discardableResult
  public func wait(timeout: Double? = nil) throws(WaitError) -> FutureResult<Value, Failure> {
    switch cell.wait(nanoseconds: timeout.map { Int64(nanosecondsIn: $0) } ?? -1) {
    case .settled: return cell.value.result(isRejected: cell.seenState.isRejected)
    case .timedOut, .interrupted: throw .timedOut  // A handler of a signal does not end this wait.
    case .deadlock: throw .deadlock
    }
  }
}

/// Why a future could not be waited for.
public enum WaitError: Error, Sendable {
  /// It was not settled in time.
  case timedOut
  /// It would never have been settled: it waits for something that the waiting thread is in the middle of.
  case deadlock
}
