extension Promise {
  /// This promise for those who wait for it: the same one, not a copy. A reason that is no `Error` is one as a
  /// `RejectionReason`; a discarded promise is a cancelled future.
  ///
  /// Unlike the future of a `Resolver`, it stays pending if nobody settles the promise.
  public final var future: Future<Value, any Error> { Future(cell: cell.retained()) }
}

extension Future {
  /// This future as a promise: the same one, not a copy. The reason of its rejection is the error, and `Discarded` that
  /// of a cancellation.
  public var promise: Promise<Value> { Promise(cell: cell.retained()) }
}
