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

// Barriers: values among the events in a subscriber's queue. The stream does not publish them.
extension StreamEvent {
  /// Makes a barrier. The receiver of callbacks gets it as an error; a stage releases it when its turn comes.
  package static func barrier(_ value: CellValue) -> StreamEvent { StreamEvent(value, Outcome(flag: .max)) }

  var isBarrier: Bool { outcome.flag == .max }
}

/// A FIFO of events, or of promises that wait for events.
typealias EventQueue = CountedQueue<EventEntry.Link>

/// An entry of an EventQueue.
///
///           value       next             function
///   entry   the value   the next newer   whether it is
///                       entry            an error
struct EventEntry: CellView {
  let ref: CellRef

  enum Link: CellLink {
    typealias View = EventEntry
    static var offset: Int { Cell.nextOffset }
  }

  init(_ ref: CellRef) { self.ref = ref }

  /// Makes an entry, which takes ownership of the value; nil when memory has run out.
  init?(_ event: StreamEvent) {
    guard let ref = CellRef.allocate(.entry) else { return nil }
    self.ref = ref
    ref.value = event.value
    unsafe ref.function = UnsafeMutableRawPointer(bitPattern: UInt(event.outcome.flag))
  }

  var event: StreamEvent {
    unsafe StreamEvent(ref.value, Outcome(flag: UInt64(UInt(bitPattern: ref.function))))
  }

  /// Returns the event, and frees the entry.
  func takeEvent() -> StreamEvent {
    let event = self.event
    free()
    return event
  }

  /// Frees the entry, but not its event, which the caller has.
  func free() { ref.deallocate() }
}

extension CountedQueue where Link == EventEntry.Link {
  /// Takes ownership of the value; false when memory has run out, then the caller keeps it.
  mutating func push(_ event: StreamEvent) -> Bool {
    guard let entry = EventEntry(event) else { return false }
    push(entry)
    return true
  }

  /// Calls the function with each event, the oldest first. The values are borrowed.
  func forEach(_ body: (StreamEvent) -> Void) {
    _ = contains {
      body($0.event)
      return false
    }
  }

  /// Frees the entries and releases their values. Destructors run, so no lock may be held.
  consuming func release() {
    var rest = self
    while let entry = rest.pop() { entry.takeEvent().release() }
  }
}
