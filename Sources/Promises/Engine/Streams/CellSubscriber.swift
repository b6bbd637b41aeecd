import CPlatform
import Synchronization

/// The read side of a stream: a queue of the events that one receiver has not had yet, and who that is.
///
///                state     next, value.kind      value.bits    value.box       function       context
///   subscriber   handles   the next and the      whether it    its executor,   the next in    its State, with the lock
///                          previous subscriber   is in that    for ever        a Delivery
///                          of its publisher      list
///
///               an event that may be delivered, or the end            its turn comes
///      [ idle ] ----------------------------------> [ scheduled ] ----------------> [ running ]
///         ^  \                                          ^  |                           |  |  |
///         |   \ cancelled                               |  | cancelled, the end        |  |  | was cancelled
///         |    \                                        |  v                           |  |  |  meanwhile
///         |     +---------------------------------------|-> [ ended ] <----------------|--|--+
///         |                                             +------------------------------+  |
///         |                                       there is something to do still          |
///         +-------------------------------------------------------------------------------+
///           nothing is left
///
/// It is `running` while its receiver has one event, and no longer. A subscriber that is scheduled or runs is in one
/// Delivery or has one turn on its executor, with a reference; so its receiver is called by one thread at a time. Who
/// makes it `ended` lets go of its receiver, once. Ends wait for the events before them, and those for demand; cancelling
/// waits for nothing but a callback that runs.
///
/// `next` and `value` belong to the publisher's lock.
package struct CellSubscriber: Equatable {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  enum Phase { case idle, scheduled, running, ended }

  /// What never changes, and needs no lock.
  struct Terms {
    /// What it is in, with a reference until it ends.
    let publisher: CellPublisher
    let receiver: Receiver
    let overflow: Overflow
    /// How many events it keeps, or is full with; 0: any number.
    let capacity: Int
    /// What silences it, with a reference until it ends, and in which generation.
    let token: CancelToken?
    let generation: UInt32
    /// The promise of its end, with a reference.
    let end: CellRef?
  }

  struct State {
    var phase = Phase.idle
    var demand: UInt64
    var events = EventQueue()
    /// Promises of events, in the order in which they were asked for.
    var requests = EventQueue()
    var ending: StreamEnding?
    /// It ends without the events that were there.
    var isCancelled = false
    var isFull = false
    /// Of an operator's: what it publishes finds no room.
    var isTargetFull = false
    var dropped: UInt64 = 0
    /// From so many requests on, those that nobody waits for are looked for.
    var sweepsAt = 64
    /// Whether a request that came after the end was told of it.
    var isEndTold = false
  }

  private struct Content {
    let terms: Terms
    var state: State
  }

  private var guarded: Guarded<Content> { unsafe Guarded(address: ref.cell.pointee.context) }
  var terms: Terms { unsafe guarded.state.pointee.terms }

  @inline(__always)
  func locked<Result>(_ body: (inout State) -> Result) -> Result {
    unsafe guarded.locked { unsafe body(&$0.pointee.state) }
  }

  /// A new subscriber with one handle; nil when memory has run out. If it is made, it takes over what it refers to.
  static func make(_ terms: Terms, demand: UInt64, executor: CellExecutor?) -> CellSubscriber? {
    let content = Content(terms: terms, state: State(demand: demand))
    guard let guarded = unsafe Guarded.make(content, inChild: { _ in }) else { return nil }
    guard let ref = CellRef.allocate(.subscriber) else {
      guarded.free()
      return nil
    }
    unsafe ref.cell.pointee.state.store(CellRef.oneHandle, ordering: .relaxed)
    unsafe ref.cell.pointee.next = 0
    unsafe ref.cell.pointee.value = CellValue(kind: ValueKind(rawValue: 0), bits: 0, box: executor?.ref.index ?? 0)
    unsafe ref.cell.pointee.context = unsafe guarded.address
    return CellSubscriber(ref)
  }

  /// The subscriber is gone. It has ended, for nothing else gives its last reference back.
  func free() {
    let content = unsafe guarded.state.pointee
    guarded.free()
    content.terms.end?.release()
    content.state.ending?.release()
    executor?.ref.release()
  }

  package func retainHandle() -> Bool { ref.retainHandle() }
  package var hasHandles: Bool { ref.hasHandles }

  /// Gives a handle back. With the last one it is cancelled.
  package func releaseHandle() {
    guard ref.releaseHandle() else { return }
    _ = cancel()
    ref.release()
  }
}

extension CellSubscriber {
  /// The promise of its end.
  package var end: CellRef? { terms.end }
}

// What is in the cell.
extension CellSubscriber {
  var link: (previous: UInt32, next: UInt32) {
    get { unsafe (ref.firstHalf, ref.cell.pointee.next) }
    nonmutating set { unsafe (ref.firstHalf, ref.cell.pointee.next) = newValue }
  }

  /// Whether it is in its publisher's list.
  var isLinked: Bool {
    get { unsafe ref.cell.pointee.value.bits != 0 }
    nonmutating set { unsafe ref.cell.pointee.value.bits = newValue ? 1 : 0 }
  }

  /// Where its receiver is called; nil: where it was published.
  var executor: CellExecutor? {
    let index = ref.secondHalf
    return index == 0 ? nil : CellExecutor(CellRef(index: index))
  }

  /// The next subscriber in a Delivery.
  var nextToRun: UInt32 {
    get { unsafe UInt32(truncatingIfNeeded: UInt(bitPattern: ref.cell.pointee.function)) }
    nonmutating set { unsafe ref.cell.pointee.function = unsafe UnsafeMutableRawPointer(bitPattern: UInt(newValue)) }
  }
}
