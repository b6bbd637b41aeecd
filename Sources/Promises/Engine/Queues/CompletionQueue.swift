import CPlatform
import Synchronization

/// A queue of events for a taker that nothing may call: a language whose runtime takes no callback on a foreign thread.
///
///           meta      state     context
///   queue   subkind   handles   its State, with the lock
///
///   [ open ] --(free, or the last handle is released)--> [ closed ]
///
/// The descriptor is made when somebody first asks for it, so a queue without a poller takes no system call. It is
/// readable exactly while events wait. Events hold the queue's cell, which is no handle.
///
/// No promise is held (CellState.hold) while the lock is, and no lock is taken within it but the slab's.
package struct CompletionQueue: Equatable {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  @unsafe
  struct State {
    /// The word that takers sleep on: changes when one is to wake. The first field: its address is the state's.
    var sequence: UInt32 = 0
    var sleepers = 0
    /// The ready events.
    var line = CompletionLine()
    /// The waiting and ready SETTLED and CALL events.
    var table: CompletionTable
    /// An eventfd; negative: none.
    var descriptor: Int32 = -1
    var isClosed = false
  }

  /// A new queue with one handle; nil when memory has run out.
  package static func make() -> CompletionQueue? {
    guard let table = unsafe CompletionTable() else { return nil }
    let made = unsafe Guarded<State>.make(State(table: table), inChild: { unsafe CompletionQueue.resume($0) })
    guard let guarded = unsafe made else {
      unsafe table.free()
      return nil
    }
    guard let ref = CellRef.allocate(.other, references: Life.weak | 1) else {
      guarded.free()
      unsafe table.free()
      return nil
    }
    unsafe ref.cell.pointee.meta = CellSubkind.queue.rawValue
    unsafe ref.cell.pointee.state.store(CellRef.oneHandle, ordering: .relaxed)
    unsafe ref.cell.pointee.context = unsafe guarded.address
    return CompletionQueue(ref)
  }

  private var guarded: Guarded<State> { unsafe Guarded(address: ref.cell.pointee.context) }

  @inline(__always)
  func locked<Result>(_ body: (inout State) -> Result) -> Result {
    unsafe guarded.locked { unsafe body(&$0.pointee) }
  }

  /// The last reference is gone: no event is left.
  func free() {
    unsafe guarded.state.pointee.table.free()
    guarded.free()
  }

  package func retainHandle() -> Bool { ref.retainHandle() }

  /// Releases a handle; the last one closes the queue. The caller has pinned it.
  package func releaseHandle() {
    guard ref.releaseHandle() else { return }
    close()
    ref.release()
  }

  /// The descriptor for a poller, or the reason that there is none.
  package enum Descriptor { case file(Int32), closed, outOfMemory }

  package var descriptor: Descriptor {
    locked { state in
      if unsafe state.isClosed { return .closed }
      if unsafe state.descriptor < 0 {
        unsafe state.descriptor = platform_event_open()
        guard unsafe state.descriptor >= 0 else { return .outOfMemory }
        if unsafe !state.line.isEmpty { unsafe platform_event_set(state.descriptor, true) }
      }
      return unsafe .file(state.descriptor)
    }
  }
}

// The line of ready events.
extension CompletionQueue {
  /// Appends an event that nobody can reach but the caller, or that waits. False if the queue is closed or the event was
  /// revoked: then the caller keeps it, and the value.
  func push(_ event: Completion, _ value: CellValue, state outcome: Int32) -> Bool {
    let (isTaken, wakes) = locked { state in
      guard unsafe !state.isClosed, event.place == .idle || event.place == .waiting else {
        if event.isListed { unsafe state.table.remove(event) }
        event.place = .revoked
        return (false, false)
      }
      if event.place == .idle && event.isRevocable { unsafe state.table.insert(event) }
      event.place = .ready
      // Only a CALL has a promise to answer.
      if event.kind != .call || outcome == Completion.pending { event.promise = nil }
      event.value = value
      event.outcomeState = outcome
      return unsafe (true, state.append(event))
    }
    if wakes { wakeOne() }
    return isTaken
  }

  func wakeOne() { unsafe platform_futex_wake_one(sequenceAddress) }
  func wakeAll() { unsafe platform_futex_wake_all(sequenceAddress) }

  /// The word that takers sleep on.
  var sequenceAddress: UnsafeRawPointer { unsafe UnsafeRawPointer(guarded.state) }
}

extension CompletionQueue.State {
  /// Appends a ready event. True: wake a taker.
  mutating func append(_ event: Completion) -> Bool {
    let wasEmpty = unsafe line.isEmpty
    unsafe line.append(event)
    if unsafe wasEmpty && descriptor >= 0 { unsafe platform_event_set(descriptor, true) }
    return unsafe nudge()
  }

  /// Removes a ready event without taking it.
  mutating func remove(_ event: Completion) {
    unsafe line.remove(event)
    if unsafe line.isEmpty && descriptor >= 0 { unsafe platform_event_set(descriptor, false) }
  }

  /// Has a sleeping taker look again. True: there is one to wake.
  mutating func nudge() -> Bool {
    guard unsafe sleepers > 0 else { return false }
    unsafe sequence &+= 1
    return true
  }
}
