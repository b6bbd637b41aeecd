extension Promise {
  /// The read-only side of this promise: the same promise, not a copy. A reason that is not an `Error` appears as a
  /// `RejectionReason`, and a discarded promise as a cancelled future.
  ///
  /// Unlike the future of a `Resolver`, it stays pending if the promise is never settled.
  public final var future: Future<Value, any Error> { Future(cell: cell.retained()) }
}

extension Future {
  /// This future as a promise: the same one, not a copy. A rejection's reason is the error, and a cancellation's reason
  /// is `Discarded`.
  public var promise: Promise<Value> { Promise(cell: cell.retained()) }
}
