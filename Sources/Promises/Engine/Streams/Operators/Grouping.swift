/// An operator that groups each `size` consecutive values into an ARRAY.
package struct Grouping {
  private let size: Int
  /// The group under construction.
  private var builder: ValueBuilder?

  package init(size: Int) { self.size = size }

  func release() { builder?.ref.release() }

  /// Takes ownership of an event, and returns the event to publish: an error unchanged, an ARRAY once the group is
  /// complete, nil before that.
  mutating func note(_ event: StreamEvent) -> StreamEvent? {
    guard !event.outcome.isRejected else { return event }
    guard let current = builder ?? ValueBuilder(.array, capacity: 0) else {
      event.release()
      return StreamEvent(Fault.outOfMemory.value, .rejected)
    }
    builder = current
    guard current.add(event.value) == nil else { return StreamEvent(Fault.outOfMemory.value, .rejected) }
    return current.count == size ? rest() : nil
  }

  /// Removes and returns the values that are not yet in a published group; nil if there are none.
  mutating func rest() -> StreamEvent? {
    guard let current = builder else { return nil }
    builder = nil
    guard current.count > 0 else {
      current.ref.release()
      return nil
    }
    guard let array = current.finish() else { return StreamEvent(Fault.outOfMemory.value, .rejected) }
    return StreamEvent(array, .fulfilled)
  }
}
