extension Promise {
  /// Settles this promise with the outcome of `promise`, when that is settled (clause 2.2). If it is settled already,
  /// this promise is settled before this returns.
  ///
  /// This promise stays open: it can still be resolved, rejected, discarded or chained after other promises, and the
  /// first settlement wins. Chaining it after itself is a no-op. `promise` holds a reference to this one until it is
  /// settled, so promises that are chained in a circle keep each other until one is settled. A request to cancel this
  /// promise is not passed on to `promise`.
  ///
  /// - Thread: any.
  public final func chain(after promise: Promise<Value>) {
    if !cell.chain(after: promise.cell) { fatalError("no memory for a callback") }
  }
}
