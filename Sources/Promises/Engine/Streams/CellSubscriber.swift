import CPlatform
import Synchronization

/// The read side of a stream: one receiver, and the queue of its undelivered events.
///
///                state     next, value.kind      value.bits    value.box      function     context      free
///   subscriber   handles   the next and the      whether it    its executor,  the next in  its State,   the next in a
///                          previous subscriber   is in that    immutable      a Delivery   with lock    list of room
///                          of its publisher      list
///
///               a deliverable event, or the end                       its turn starts
///      [ idle ] ----------------------------------> [ scheduled ] ----------------> [ running ]
///         ^  \                                          ^  |                           |  |  |
///         |   \ cancelled                               |  | cancelled, the end        |  |  | was cancelled
///         |    \                                        |  v                           |  |  |  meanwhile
///         |     +---------------------------------------|-> [ ended ] <----------------|--|--+
///         |                                             +------------------------------+  |
///         |                                       more events are deliverable             |
///         +-------------------------------------------------------------------------------+
///           nothing is deliverable, or the turn was dropped
///
/// It is `running` only while its receiver handles one event. A subscriber that is scheduled or running is in one
/// Delivery or has one turn on its executor, with a reference; so its receiver is called by one thread at a time. The
/// call that makes it `ended` releases its receiver, once. An end waits for the events before it, and those wait for
/// demand. Cancelling waits only for a running callback.
///
/// `next` and `value` are guarded by the publisher's lock.
package struct CellSubscriber: CellView, Equatable {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  enum Phase { case idle, scheduled, running, ended }

  /// The immutable part, readable without the lock.
  struct Terms {
    /// The publisher, with a reference until the subscriber ends.
    let publisher: CellPublisher
    let receiver: Receiver
    let overflow: Overflow
    /// The number of queued events at which it is full; 0: unlimited.
    let capacity: Int
    /// The token that silences the subscriber, with a reference until the subscriber ends, and the token's generation
    /// at subscription.
    let token: CancelToken?
    let generation: UInt32
    /// The promise of the end, with a reference.
    let end: CellRef?
    let yieldsAfterEvent: Bool
  }

  struct State {
    var phase = Phase.idle
    var demand: UInt64
    var events = EventQueue()
    /// The number of events of a taken group, which count as queued (`take`).
    var taken = 0
    /// The pending promises of next(), in the order of the calls.
    var requests = EventQueue()
    var ending: StreamEnding?
    /// Whether the subscriber ends without delivering the events that are left.
    var isCancelled = false
    /// The events that the receiver wants, among those for which it has a function.
    var wants = Wants.all
    var isFull = false
    /// Whether the operator's publisher is full; false for other subscribers.
    var isTargetFull = false
    /// Whether a call that propagates a change of capacity has it in its work list.
    var isInFullnessChanges = false
    var dropped: UInt64 = 0
    /// The number of requests at which the next sweep removes unwanted ones.
    var sweepsAt = 64
    /// Whether a call of next() after the end has reported the ending.
    var isEndReported = false
    /// Whether the executor dropped the last turn.
    var isTurnDropped = false
    /// The thread that submits a turn, if the subscriber yields after each event.
    var submitter: UInt = 0
  }

  private struct Content {
    let terms: Terms
    var state: State
  }

  private var guarded: Guarded<Content> { unsafe Guarded(address: ref.contextPointer) }
  var terms: Terms { unsafe guarded.state.pointee.terms }

  @inline(__always)
  func locked<Result>(_ body: (inout State) -> Result) -> Result {
    unsafe guarded.locked { unsafe body(&$0.pointee.state) }
  }

  /// Makes a subscriber with one handle; nil when memory has run out. On success it takes ownership of the references
  /// in `terms`.
  static func make(_ terms: Terms, demand: UInt64, executor: CellExecutor?) -> CellSubscriber? {
    let content = Content(terms: terms, state: State(demand: demand))
    guard let guarded = unsafe Guarded.make(content, inChild: { _ in }) else { return nil }
    guard let ref = CellRef.allocate(.subscriber) else {
      guarded.free()
      return nil
    }
    ref.startHandles()
    ref.next = 0
    ref.value = CellValue(kind: ValueKind(rawValue: 0), bits: 0, box: executor?.ref.index ?? 0)
    unsafe ref.contextPointer = unsafe guarded.address
    return CellSubscriber(ref)
  }

  /// Frees a subscriber that is disposed of. It has ended, because only an ended one loses its last reference.
  func free() {
    let content = unsafe guarded.state.pointee
    guarded.free()
    content.terms.end?.release()
    content.state.ending?.release()
    executor?.ref.release()
  }

  package func retainHandle() -> HandleRetain { ref.retainHandle() }
  package var hasHandles: Bool { ref.hasHandles }

  /// Releases a handle. The last one cancels the subscriber.
  package func releaseHandle() {
    guard ref.releaseHandle() == .last else { return }
    _ = cancel()
    ref.release()
  }
}

extension CellSubscriber {
  /// The promise of the end.
  package var end: CellRef? { terms.end }
}

// Fields in the cell.
extension CellSubscriber {
  var link: (previous: UInt32, next: UInt32) {
    get { (ref.firstHalf, ref.next) }
    nonmutating set { (ref.firstHalf, ref.next) = newValue }
  }

  /// Whether the subscriber is in its publisher's list.
  var isLinked: Bool {
    get { ref.value.bits != 0 }
    nonmutating set { unsafe ref.cell.pointee.value.bits = newValue ? 1 : 0 }
  }

  /// The executor of the receiver; nil: the receiver runs on the publishing thread.
  var executor: CellExecutor? {
    let index = ref.secondHalf
    return index == 0 ? nil : CellExecutor(CellRef(index: index))
  }

  /// Links the subscribers in a Delivery, through `function`.
  enum DeliveryLink: CellLink {
    typealias View = CellSubscriber
    static var offset: Int { Cell.closureOffset }
  }

  /// Links the subscribers in a list of changes of capacity, through `free`.
  enum FullnessLink: CellLink {
    typealias View = CellSubscriber
    static var offset: Int { Cell.freeOffset }
  }
}
