extension Promise {
  /// Settles a promise that several sources compete to settle. The losers are not reported as second settlements.
  func settle(_ value: Value) {
    _ = cell.settle(fulfilling: .encoding(value), reports: false)
  }

  func settle(rejecting reason: Any?) {
    _ = cell.settle(rejecting: .encoding(reason: reason), reports: false)
  }
}
