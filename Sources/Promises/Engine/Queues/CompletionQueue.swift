import CPlatform
import Synchronization

/// A queue of events for runtimes that cannot be called back on a foreign thread: they take events instead.
///
///           meta      state     context
///   queue   subkind   handles   its State, with the lock
///
///   [ open ] --(free, or the last handle is released)--> [ closed ]
///
/// The descriptor is created on first request, so a queue without a poller costs no system call. It is readable exactly
/// while events are ready. Events have references to the queue's cell, which are not handles.
///
/// Lock order: while the lock is held, no promise is held (CellState.hold), and only the slab's lock is taken.
package struct CompletionQueue: Equatable {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  @unsafe
  struct State {
    /// The futex of the takers: changes to wake one. The first field, so its address is that of the state.
    var sequence: UInt32 = 0
    var sleepers = 0
    var ready = ReadyEvents()
    /// The waiting and ready SETTLED and CALL events.
    var table: CompletionTable
    /// An eventfd; negative: none.
    var descriptor: Int32 = -1
    var isClosed = false
  }

  /// Makes a queue with one handle; nil when memory has run out.
  package static func make() -> CompletionQueue? {
    guard let table = unsafe CompletionTable() else { return nil }
    let made = unsafe Guarded<State>.make(State(table: table), inChild: { unsafe CompletionQueue.resume($0) })
    guard let guarded = unsafe made else {
      unsafe table.free()
      return nil
    }
    guard let ref = CellRef.allocate(.other, references: Life.weak | 1) else {
      unsafe guarded.free()
      unsafe table.free()
      return nil
    }
    ref.meta = CellSubkind.queue.rawValue
    ref.startHandles()
    unsafe ref.contextPointer = unsafe guarded.address
    return CompletionQueue(ref)
  }

  private var guarded: Guarded<State> { unsafe Guarded(address: ref.contextPointer) }

  @inline(__always)
  func locked<Result>(_ body: (inout State) -> Result) -> Result {
    unsafe guarded.locked { unsafe body(&$0.pointee) }
  }

  /// Frees a queue that is disposed of: no event is left.
  func free() {
    unsafe guarded.state.pointee.table.free()
    unsafe guarded.free()
  }

  package func retainHandle() -> HandleRetain { ref.retainHandle() }

  /// Releases a handle; the last one closes the queue. The caller must have pinned the queue.
  package func releaseHandle() {
    guard ref.releaseHandle() == .last else { return }
    close()
    ref.release()
  }

  /// The descriptor for a poller, or the reason why there is none.
  package enum Descriptor { case file(Int32), closed, outOfMemory }

  package var descriptor: Descriptor {
    unsafe locked { state in
      if unsafe state.isClosed { return .closed }
      if unsafe state.descriptor < 0 {
        unsafe state.descriptor = platform_event_open()
        guard unsafe state.descriptor >= 0 else { return .outOfMemory }
        if unsafe !state.ready.isEmpty { unsafe platform_event_set(state.descriptor, true) }
      }
      return unsafe .file(state.descriptor)
    }
  }
}

// The ready events.
extension CompletionQueue {
  /// The result of a push. An obsolete event is appended without the value and the promise, which the caller keeps. The
  /// caller also keeps a refused event: the queue is closed, or the event has arrived before or was revoked.
  enum Pushed { case appended, appendedObsolete, refused }

  /// Appends an event that is idle and known only to the caller, or waiting. `isObsolete`: the event that was asked for
  /// is not needed any more.
  func push(_ event: Completion, _ value: CellValue, state outcome: Int32, isObsolete: Bool = false) -> Pushed {
    // A taker of the event may free the queue at once, and a wake needs no more than the address.
    let word = unsafe sequenceAddress
    let (pushed, wakes): (Pushed, Bool) = unsafe locked { state in
      guard event.place == .idle || event.place == .waiting else { return (.refused, false) }
      guard unsafe !state.isClosed else {
        if event.isListed { unsafe state.table.remove(event) }
        event.place = .revoked
        return (.refused, false)
      }
      if event.place == .idle && event.isRevocable { unsafe state.table.insert(event) }
      event.place = .ready
      if isObsolete { event.kind = .obsolete }
      if event.kind == .obsolete {
        event.promise = nil
        event.value = .void
        return unsafe (.appendedObsolete, state.append(event))
      }
      // Only a CALL has a promise to settle.
      if event.kind != .call || outcome == Completion.pending { event.promise = nil }
      event.value = value
      event.outcomeState = outcome
      return unsafe (.appended, state.append(event))
    }
    if wakes { unsafe platform_futex_wake_one(word) }
    return pushed
  }

  func wakeOne() { unsafe platform_futex_wake_one(sequenceAddress) }
  func wakeAll() { unsafe platform_futex_wake_all(sequenceAddress) }

  /// The futex of the takers.
  var sequenceAddress: UnsafeRawPointer { unsafe UnsafeRawPointer(guarded.state) }
}

extension CompletionQueue.State {
  /// Appends a ready event. True: the caller has to wake a taker.
  mutating func append(_ event: Completion) -> Bool {
    let wasEmpty = unsafe ready.isEmpty
    unsafe ready.append(event)
    if unsafe wasEmpty && descriptor >= 0 { unsafe platform_event_set(descriptor, true) }
    return unsafe nudge()
  }

  /// Removes a ready event without taking it.
  mutating func remove(_ event: Completion) {
    unsafe ready.remove(event)
    if unsafe ready.isEmpty && descriptor >= 0 { unsafe platform_event_set(descriptor, false) }
  }

  /// Makes a sleeping taker check again. True: the caller has to wake one.
  mutating func nudge() -> Bool {
    guard unsafe sleepers > 0 else { return false }
    unsafe sequence &+= 1
    return true
  }
}
