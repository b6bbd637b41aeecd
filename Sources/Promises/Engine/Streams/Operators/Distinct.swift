/// An operator that removes consecutive duplicates: values, and with `includesErrors` also errors.
package struct Distinct {
  private let includesErrors: Bool
  private var last: StreamEvent?

  package init(includesErrors: Bool) { self.includesErrors = includesErrors }

  func release() { last?.value.release() }

  /// Returns whether the event differs from the last one; if it does, it becomes the last one.
  mutating func note(_ event: StreamEvent) -> Bool {
    guard isNew(event) else { return false }
    last?.value.release()
    last = event.value.retain() ? event : nil
    return true
  }

  private func isNew(_ event: StreamEvent) -> Bool {
    guard let last, last.outcome.isRejected == event.outcome.isRejected,
      includesErrors || !event.outcome.isRejected
    else { return true }
    return Delivery.callOut { Equality.compare(last.value, event.value) } != .equal
  }
}
