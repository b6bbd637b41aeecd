extension Promise {
  /// Settles this promise with the outcome of `promise`, when that is settled (clause 2.2).
  ///
  /// This promise stays open: it can still be resolved, rejected, discarded or chained after other promises, and the
  /// first settlement wins. `promise` holds a reference to this one until it is settled.
  public final func chain(after promise: Promise<Value>) {
    if !cell.chain(after: promise.cell) { fatalError("no memory for a callback") }
  }
}
