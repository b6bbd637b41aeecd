import CPlatform
import Synchronization

/// The write side of a stream: it sends events to its subscribers, until it ends.
///
///               state                                 function   context
///   publisher   how many are full | handles | flags   -          its State, with the lock
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
  }

  private static var oneFull: UInt64 { 1 << 32 }

  /// A new publisher with one handle; nil when memory has run out.
  package static func make(isStateful: Bool) -> CellPublisher? {
    guard let guarded = Guarded.make(State(isStateful: isStateful)) else { return nil }
    guard let ref = CellRef.allocate(.publisher) else {
      guarded.free()
      return nil
    }
    unsafe ref.cell.pointee.state.store(CellRef.oneHandle, ordering: .relaxed)
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

  /// Gives a handle back. With the last one the stream is cancelled, if it is open.
  package func releaseHandle() {
    guard ref.releaseHandle() else { return }
    _ = end(.cancelled)
    ref.release()
  }

  /// The publisher is gone: nobody subscribes to it any more.
  func free() {
    let state = unsafe guarded.state.pointee
    guarded.free()
    state.latest?.value.release()
    state.ending?.release()
  }
}

// What is known of it.
extension CellPublisher {
  package var subscriberCount: Int { locked { $0.count } }

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

// Room.
extension CellPublisher {
  /// Whether every subscriber has room for one more event.
  package var hasRoom: Bool {
    unsafe Int64(bitPattern: ref.cell.pointee.state.load(ordering: .acquiring)) < Int64(CellPublisher.oneFull)
  }

  /// One subscriber more is full, or has room again. Called with that one's lock.
  func countFull(_ isFull: Bool) {
    let one = isFull ? CellPublisher.oneFull : 0 &- CellPublisher.oneFull
    unsafe ref.cell.pointee.state.wrappingAdd(one, ordering: .acquiringAndReleasing)
  }

  /// A promise that is fulfilled when every subscriber has room, and cancelled when the stream ends before; a reference
  /// of the caller's. Nil when memory has run out.
  package func ready() -> CellRef? {
    guard let fresh = CellRef.promise() else { return nil }
    let (kept, isSettled) = locked { state -> (CellRef?, Bool) in
      if state.ending != nil || hasRoom { return (nil, state.ending == nil) }
      if let ready = state.ready, ready.retain() { return (ready, false) }
      guard state.ready == nil, fresh.retain() else { return (nil, false) }
      state.ready = fresh
      return (fresh, false)
    }
    if let kept {
      if kept != fresh { fresh.release() }
      return kept
    }
    _ = isSettled ? fresh.settle(.void, .fulfilled) : fresh.discard()
    return fresh
  }

  /// A subscriber has room again: fulfils the promise of that, if there is one and it was the last.
  func roomWasMade() {
    guard hasRoom else { return }
    let ready = locked { state -> CellRef? in
      guard hasRoom else { return nil }
      defer { state.ready = nil }
      return state.ready
    }
    guard let ready else { return }
    Delivery.callOut { _ = ready.settle(.void, .fulfilled) }
    ready.release()
  }
}
