extension Future {
  /// Blocks the thread until the future is settled.
  ///
  /// - Parameter timeout: the maximum time in seconds; 0 or less only tests, `nil` waits without a limit.
  /// - Returns: the outcome.
  /// - Throws: `WaitError.timedOut`; `WaitError.deadlock`, at once, if the future depends on a callback that this
  ///   thread is running. Other deadlocks are not detected: do not block a queue that the future needs.
  /// - Thread: any; not from a Swift task, whose threads must not block.
  @discardableResult
  @inlinable public func wait(timeout: Double? = nil) throws(WaitError) -> FutureResult<Value, Failure> {
    let (value, isRejected) = try cell.waitForOutcome(timeout)
    return value.result(isRejected: isRejected)
  }
}

extension CellRef {
  /// Blocks the thread until the promise is settled, as `Future.wait(timeout:)` does.
  @usableFromInline
  func waitForOutcome(_ timeout: Double?) throws(WaitError) -> (value: CellValue, isRejected: Bool) {
    switch wait(nanoseconds: timeout.map { Int64(nanosecondsIn: $0) } ?? -1) {
    case .settled: return (value, seenState.isRejected)
    case .timedOut, .interrupted: throw .timedOut  // A handler of a signal does not end this wait.
    case .deadlock: throw .deadlock
    }
  }
}

/// The error of a wait that ended before the future was settled.
public enum WaitError: Error, Sendable {
  /// The timeout passed first.
  case timedOut
  /// The future depends on a callback that the waiting thread is running, so the wait would never end.
  case deadlock
}
