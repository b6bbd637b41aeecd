/// An event of a stream: a value, or, with the outcome rejected, an error that does not end the stream.
package struct StreamEvent {
  package var value: CellValue
  package var outcome: Outcome
  package init(_ value: CellValue, _ outcome: Outcome) {
    self.value = value
    self.outcome = outcome
  }

  /// Releases the value. Its destructor may run, and events that the destructor publishes are delivered at once. No
  /// lock may be held.
  func release() {
    if value.isOwning { Delivery.callOut { value.release() } }
  }
}

/// A FIFO of events, or of promises that wait for events.
///
///           value       next             function
///   entry   the value   the next newer   whether it is
///                       entry            an error
///                       came after       an error
struct EventQueue {
  private var first: UInt32 = 0
  private var last: UInt32 = 0
  private(set) var count = 0

  var isEmpty: Bool { first == 0 }

  /// Takes ownership of the value; false when memory has run out, then the caller keeps it.
  mutating func push(_ event: StreamEvent) -> Bool {
    guard let entry = CellRef.allocate(.entry) else { return false }
    unsafe entry.cell.pointee.value = event.value
    unsafe entry.cell.pointee.function = UnsafeMutableRawPointer(bitPattern: UInt(event.outcome.flag))
    push(entry)
    return true
  }

  /// Takes ownership of an entry that was popped.
  mutating func push(_ entry: CellRef) {
    unsafe entry.cell.pointee.next = 0
    if last == 0 { first = entry.index } else { unsafe CellRef(index: last).cell.pointee.next = entry.index }
    last = entry.index
    count += 1
  }

  /// Puts an entry back at the front.
  mutating func pushFront(_ entry: CellRef) {
    unsafe entry.cell.pointee.next = first
    first = entry.index
    if last == 0 { last = first }
    count += 1
  }

  mutating func pop() -> CellRef? {
    guard first != 0 else { return nil }
    let entry = CellRef(index: first)
    first = entry.nextEntry
    if first == 0 { last = 0 }
    count -= 1
    return entry
  }

  /// Calls the function with each event, the oldest first. The values are borrowed.
  func forEach(_ body: (StreamEvent) -> Void) {
    var next = first
    while next != 0 {
      let entry = CellRef(index: next)
      body(entry.event)
      next = entry.nextEntry
    }
  }

  /// Returns all entries, and leaves the queue empty.
  mutating func take() -> EventQueue {
    let all = self
    self = EventQueue()
    return all
  }

  /// Frees the entries and releases their values. Destructors run, so no lock may be held.
  consuming func release() {
    var rest = self
    while let entry = rest.pop() { entry.takeEvent().release() }
  }
}

extension CellRef {
  /// The event of an entry.
  var event: StreamEvent {
    unsafe StreamEvent(cell.pointee.value, Outcome(flag: UInt64(UInt(bitPattern: cell.pointee.function))))
  }

  /// Returns the event of an entry, and frees the entry.
  func takeEvent() -> StreamEvent {
    let event = self.event
    deallocate()
    return event
  }
}
