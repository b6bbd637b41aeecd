// A task that awaits a promise is interested in it, like whatever is derived from it, until the task is cancelled. Then
// the promise is asked to cancel if nothing else is interested, any holder: the one that waits for it holds it too.
extension CellRef {
  /// Suspends the task until the promise is settled. The caller has a reference.
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
      if desert() { requestCancel() }
    }
    interest.release()
  }
}

extension CellValue {
  /// What a reason is thrown as: an error as it is, something else as a `RejectionReason`; what says that the promise was
  /// cancelled as the error because of which it was, or as a `CancellationError`.
  var thrown: any Error {
    guard kind == ValueKind.discarded.rawValue else { return reason as? any Error ?? RejectionReason(reason) }
    return indirectError ?? CancellationError()
  }
}

extension Promise {
  /// The value; suspends the task until the promise is settled.
  ///
  ///     let value = try await promise.get()
  ///
  /// Throws the reason that the promise is rejected with, as a `RejectionReason` if it is no `Error`. Throws
  /// `CancellationError` if the promise was discarded or cancelled; if that was because of an error, that one.
  ///
  /// If the task is cancelled, the promise is asked to cancel, unless something else waits for it too; `get()` still
  /// waits until the promise is settled, as whoever settles it decides what becomes of it. A promise that nobody settles
  /// is awaited for ever.
  ///
  /// - Thread: any; the caller goes on where it was.
  public final nonisolated(nonsending) func get() async throws -> Value {
    await cell.untilSettled()
    guard cell.seenState.isRejected else { return try cell.value.required(as: Value.self) }
    throw cell.value.thrown
  }
}
