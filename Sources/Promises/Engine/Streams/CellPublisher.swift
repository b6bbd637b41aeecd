import CPlatform
import Synchronization

/// The write side of a stream: it sends events to its subscribers, until it ends.
///
///               state                                 value.bits, function       context
///   publisher   how many are full | handles | flags   Operators/Derived.swift    its State, with the lock
///
///   [ open ] --(finish, fail, cancel, or its last handle goes)--> [ ended ]
///
/// The lock puts everything in one order: what is published, who subscribes, the end. While it is held an event goes into
/// the queue of each subscriber, and into no callback; the callbacks come when it is given up. So a subscriber has what
/// was published after it came, and nothing else, and all have it in the same order.
///
/// Its list does not keep a subscriber: that leaves before it goes. A subscriber keeps the publisher's cell, which is no
/// handle. A subscriber's lock may be taken while the publisher's is held, never the other way round, and never those of
/// two publishers.
package struct CellPublisher: Equatable {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  struct State {
    /// The subscribers, in the order in which they came, linked through their cells.
    var first: UInt32 = 0
    var last: UInt32 = 0
    var count = 0
    let isStateful: Bool
    /// The event that a new subscriber gets first.
    var latest: StreamEvent?
    var ending: StreamEnding?
    /// The promise that there is room, while there is none.
    var ready: CellRef?
    /// Of several sources.
    var join: Join?
    /// What publishes, if it is a timer.
    var ticking: Ticking?
  }

  static var oneFull: UInt64 { 1 << 32 }
  /// An operator publishes to it, and nobody else.
  private static var derived: UInt64 { 1 }

  /// A new publisher with one handle; nil when memory has run out.
  package static func make(isStateful: Bool) -> CellPublisher? { make(State(isStateful: isStateful), isDerived: false) }

  static func make(_ state: State, isDerived: Bool) -> CellPublisher? {
    guard let guarded = unsafe Guarded.make(state, inChild: { _ in }) else { return nil }
    guard let ref = CellRef.allocate(.publisher) else {
      guarded.free()
      return nil
    }
    unsafe ref.cell.pointee.state.store(CellRef.oneHandle | (isDerived ? derived : 0), ordering: .relaxed)
    unsafe ref.cell.pointee.value.bits = 0
    unsafe ref.cell.pointee.context = unsafe guarded.address
    return CellPublisher(ref)
  }

  private var guarded: Guarded<State> { unsafe Guarded(address: ref.cell.pointee.context) }

  @inline(__always)
  func locked<Result>(_ body: (inout State) -> Result) -> Result {
    unsafe guarded.locked { unsafe body(&$0.pointee) }
  }

  package func retainHandle() -> Bool { ref.retainHandle() }
  package var hasHandles: Bool { ref.hasHandles }

  /// Whether an operator publishes to it, and nobody else.
  package var isDerived: Bool {
    unsafe ref.cell.pointee.state.load(ordering: .relaxed) & CellPublisher.derived != 0
  }

  /// Gives a handle back. With the last one the stream is cancelled, if it is open and nobody else can publish to it.
  package func releaseHandle() {
    guard ref.releaseHandle() else { return }
    if !isDerived { _ = end(.cancelled) }
    stopTickingUnlessUsed()
    ref.release()
  }

  /// The publisher is gone: nobody subscribes to it any more.
  func free() {
    let state = unsafe guarded.state.pointee
    guarded.free()
    freeSources()
    state.join?.free()
    state.ticking?.release()
    state.latest?.value.release()
    state.ending?.release()
  }
}

// What is known of it.
extension CellPublisher {
  package var subscriberCount: Int { locked { $0.count } }
  var isStateful: Bool { locked { $0.isStateful } }

  /// Whether the stream ended well; nil while it is open.
  package var hasFinished: Bool? { locked { $0.ending?.isFinished } }

  /// What a new subscriber would get first, with a reference for the caller.
  package var latest: StreamEvent? {
    locked { state in
      guard let latest = state.latest, latest.value.retain() else { return nil }
      return latest
    }
  }
}
