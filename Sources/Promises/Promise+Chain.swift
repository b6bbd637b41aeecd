extension Promise {
  /// Settles this promise as `promise` is, once it is (clause 2.2).
  ///
  /// This promise is not bound to it: it may still be resolved, rejected or discarded by anyone, or chained after
  /// others too, and whichever settles it first wins. Until `promise` is settled, it holds this one.
  public final func chain(after promise: Promise<Value>) {
    if !cell.chain(after: promise.cell) { fatalError("no memory for a callback") }
  }
}
