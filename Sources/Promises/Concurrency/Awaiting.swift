// A task that awaits a promise counts as interest in it, like a derived promise, until the task is cancelled. Then the
// promise is asked to cancel if it has no other interest. References do not count here: the awaiting task has one
// itself.
extension CellRef {
  /// Suspends the task until the promise is settled. The caller must have a reference.
  nonisolated(nonsending) func untilSettled() async {
    if state.isSettled { return }
    let interest = derive { _, _, _ in .pass }
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        interest.observe { _, _, _ in
          continuation.resume()
          return .leave
        }
      }
    } onCancel: {
      interest.requestCancel()
      if withdrawInterest() == .last { requestCancel() }
    }
    interest.release()
  }
}

extension CellValue {
  /// The error to throw for a reason. An error is thrown as it is, any other reason as a `RejectionReason`. A
  /// cancellation is thrown as its cause, or as a `CancellationError` if it has none.
  var thrown: any Error {
    guard kind == ValueKind.discarded.rawValue else { return reason as? any Error ?? RejectionReason(reason) }
    return indirectError ?? CancellationError()
  }
}

extension Promise {
  /// Returns the value; suspends the task until the promise is settled.
  ///
  ///     let value = try await promise.get()
  ///
  /// If the task is cancelled, the promise is asked to cancel, unless it has other consumers: another task, a callback,
  /// a derived promise. A reference is none: to leave the promise itself alone, await `future.makeChild()` and keep the
  /// child. `get()` still waits until the promise is settled, because a cancellation is advice to the producer. A
  /// promise that is never settled suspends the task forever.
  ///
  /// - Throws: the reason of a rejected promise, as a `RejectionReason` if it is not an `Error`. For a discarded or
  ///   cancelled promise, the error that caused this, or `CancellationError` without one.
  /// - Thread: any; the task resumes on the caller's actor.
  public final nonisolated(nonsending) func get() async throws -> Value {
    await cell.untilSettled()
    guard cell.seenState.isRejected else { return try cell.value.required(as: Value.self) }
    throw cell.value.thrown
  }
}
