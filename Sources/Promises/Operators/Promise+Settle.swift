extension Promise {
  /// Settles a promise that several others may settle: to come second is no mistake of anybody's.
  func settle(_ value: Value) {
    _ = cell.settle(fulfilling: .encoding(value), reports: false)
  }

  func settle(rejecting reason: Any?) {
    _ = cell.settle(rejecting: .encoding(reason: reason), reports: false)
  }
}
