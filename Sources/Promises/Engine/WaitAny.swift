import CPlatform
import Synchronization

// Waiting for one of many promises. A thread sleeps on a word of its own. It registers a note for each promise in a
// table keyed by the promise's cell; a thread that settles a promise with waiters looks there. The notes are removed
// when the wait ends, so waits that time out leave no memory with a long-lived promise.

/// A waiting thread. Guarded by PLATFORM_LOCK_WAITERS, except for the word.
@unsafe
private struct Waiter: ~Copyable {
  /// The futex: the number of settlements so far. The settling thread publishes the state before it counts, and the
  /// waiter loads the word before it looks at the states: so it sees the settlement, or the kernel sees that the word
  /// has changed. No test covers these orders, because they are between atomics on a stack and in cells.
  let word = Atomic<UInt64>(0)
  /// The loop that the thread runs, to be woken in place of the thread.
  let loop: EventLoop?

  init(loop: EventLoop?) { unsafe self.loop = loop }
}

/// The entry of a waiter in the list of a promise.
@unsafe
private struct WaitNote {
  let promise: CellRef
  let waiter: UnsafeMutablePointer<Waiter>
  /// The owner of the waiter: a thread, identified by its state.
  let thread: UnsafeMutableRawPointer
  var previous: UnsafeMutablePointer<WaitNote>?
  var next: UnsafeMutablePointer<WaitNote>?
}

/// The notes, by promise. Allocated by the first wait.
private typealias WaitTable = UnsafeMutablePointer<UnsafeMutablePointer<WaitNote>?>
private let waitTable = Single()
private var waitTableSize: Int { 256 }

private func slot(_ promise: CellRef, _ table: UnsafeMutableRawPointer) -> WaitTable {
  unsafe table.assumingMemoryBound(to: UnsafeMutablePointer<WaitNote>?.self) + Int(promise.index) % waitTableSize
}

/// Notes for `count` promises, in one allocation.
@unsafe
private struct WaitNotes {
  let table: UnsafeMutableRawPointer
  let notes: UnsafeMutablePointer<WaitNote>
  let count: Int

  /// Nil when memory has run out.
  init?(_ promise: (Int) -> CellRef, count: Int, _ waiter: UnsafeMutablePointer<Waiter>) {
    let made = unsafe waitTable.get { unsafe calloc(waitTableSize, MemoryLayout<WaitTable>.stride) }
    guard let table = unsafe made, let memory = unsafe calloc(count, MemoryLayout<WaitNote>.stride) else { return nil }
    unsafe self.table = unsafe table
    unsafe self.count = count
    unsafe notes = unsafe memory.bindMemory(to: WaitNote.self, capacity: count)
    let thread = unsafe UnsafeMutableRawPointer(platform_thread())
    for index in 0..<count {
      unsafe (notes + index).initialize(to: WaitNote(promise: promise(index), waiter: waiter, thread: thread))
    }
    platform_lock(Int32(PLATFORM_LOCK_WAITERS))
    for index in 0..<count { unsafe enter(notes + index) }
    platform_unlock(Int32(PLATFORM_LOCK_WAITERS))
    // From here on a settling thread sees the note.
    for index in 0..<count {
      unsafe notes[index].promise.becomeWaited()
    }
  }

  private func enter(_ note: UnsafeMutablePointer<WaitNote>) {
    let slot = unsafe slot(note.pointee.promise, table)
    unsafe note.pointee.next = unsafe slot.pointee
    unsafe slot.pointee?.pointee.previous = unsafe note
    unsafe slot.pointee = unsafe note
  }

  func free() {
    platform_lock(Int32(PLATFORM_LOCK_WAITERS))
    for index in unsafe 0..<count { unsafe WaitingThreads.remove(notes + index, table) }
    platform_unlock(Int32(PLATFORM_LOCK_WAITERS))
    unsafe platform_free(notes)
  }
}

/// The table of all notes.
enum WaitingThreads {
  /// Removes a note. Call with PLATFORM_LOCK_WAITERS held.
  fileprivate static func remove(_ note: UnsafeMutablePointer<WaitNote>, _ table: UnsafeMutableRawPointer) {
    unsafe note.pointee.next?.pointee.previous = unsafe note.pointee.previous
    if let previous = unsafe note.pointee.previous {
      unsafe previous.pointee.next = unsafe note.pointee.next
    } else {
      unsafe slot(note.pointee.promise, table).pointee = unsafe note.pointee.next
    }
  }

  /// Removes the notes of other threads in a child of fork(): those threads do not exist there, and the stack memory of
  /// their words may be reused.
  static func forgetOthers() {
    guard let table = unsafe waitTable.made else { return }
    let thread = unsafe UnsafeMutableRawPointer(platform_thread())
    for index in 0..<waitTableSize {
      var note = unsafe table.assumingMemoryBound(to: UnsafeMutablePointer<WaitNote>?.self)[index]
      while let here = unsafe note {
        unsafe note = unsafe here.pointee.next
        if unsafe here.pointee.thread != thread { unsafe remove(here, table) }
      }
    }
  }
}

extension CellRef {
  /// Wakes the threads that wait for this promise among others.
  func wakeWaitersForAny() {
    guard let table = unsafe waitTable.made else { return }
    platform_lock(Int32(PLATFORM_LOCK_WAITERS))
    var note = unsafe slot(self, table).pointee
    while let here = unsafe note {
      if unsafe here.pointee.promise == self {
        let waiter = unsafe here.pointee.waiter
        unsafe waiter.pointee.word.wrappingAdd(1, ordering: .releasing)
        unsafe platform_futex_wake_all(UnsafeRawPointer(waiter))
        unsafe waiter.pointee.loop?.poke()
      }
      unsafe note = unsafe here.pointee.next
    }
    platform_unlock(Int32(PLATFORM_LOCK_WAITERS))
  }

  /// Blocks until one of the promises is settled. `nanoseconds`: the time limit; negative: unlimited; 0: poll. Returns
  /// the index of the first settled promise in their order. `deadlock` if none of them can be settled; nil when memory
  /// has run out. The caller must have references to all of them.
  package static func waitAny(_ promise: (Int) -> CellRef, count: Int, nanoseconds: Int64) -> (
    result: WaitResult, index: Int
  )? {
    func firstSettled() -> Int? { (0..<count).first { promise($0).seenState.isSettled } }
    if let index = firstSettled() { return (.settled, index) }
    for index in 0..<count { promise(index).noteReader() }
    if nanoseconds == 0 { return (.timedOut, 0) }
    /// A deadlock, unless a promise was settled meanwhile; nil if one still can be settled.
    func deadlock() -> (WaitResult, Int)? {
      guard (0..<count).allSatisfy({ promise($0).isHeldUpByThisThread() }) else { return nil }
      return firstSettled().map { (.settled, $0) } ?? (.deadlock, 0)
    }
    if let end = deadlock() { return end }
    var limit = WaitLimit(nanoseconds: nanoseconds)
    var waiter = unsafe Waiter(loop: nil)
    return unsafe withUnsafeMutablePointer(to: &waiter) { waiter in
      guard let notes = unsafe WaitNotes(promise, count: count, waiter) else { return nil }
      defer { unsafe notes.free() }
      while true {
        let word = unsafe waiter.pointee.word.load(ordering: .acquiring)
        if let index = firstSettled() { return (.settled, index) }
        if limit.isOver { return (.timedOut, 0) }
        if limit.isTimeToLook(), let end = deadlock() { return end }
        Pool.beginBlocking()
        _ = unsafe platform_futex_wait(UnsafeRawPointer(waiter), UInt32(truncatingIfNeeded: word), limit.next)
        Pool.endBlocking()
      }
    }
  }
}

extension EventLoop {
  /// Runs the loop until the promise is settled, then returns nil. The caller must have a reference to the promise.
  func run(until promise: CellRef, nanoseconds: Int64) -> End? {
    if promise.seenState.isSettled { return nil }
    promise.noteReader()
    let deadline = nanoseconds <= 0 ? nanoseconds : CellTimer.deadline(after: nanoseconds)
    var waiter = unsafe Waiter(loop: self)
    let end: End? = unsafe withUnsafeMutablePointer(to: &waiter) { waiter in
      guard let notes = unsafe WaitNotes({ _ in promise }, count: 1, waiter) else { return nil }
      defer { unsafe notes.free() }
      return run(until: deadline) {
        WaitLimit.looks(running: self) ? promise.isHeldUpByThisThread(running: self) : nil
      } isDone: {
        promise.state.isSettled
      }
    }
    return promise.seenState.isSettled ? nil : end ?? .noMemory
  }
}
