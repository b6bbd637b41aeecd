import CPlatform
import Synchronization

// Waiting for one of many. A thread sleeps on a word of its own. For each promise it enters a note in a table by the
// promise's cell; whoever settles a promise that is waited for looks there. When the wait ends the notes are gone, so a
// promise that many waits were for, in vain, has kept nothing of them.

/// A thread that waits. Guarded by PLATFORM_LOCK_WAITERS, but for the word.
@unsafe
private struct Waiter: ~Copyable {
  /// Counts what happened.
  let word = Atomic<UInt64>(0)
  /// What is to be woken instead of the thread, which turns it.
  let loop: EventLoop?

  init(loop: EventLoop?) { unsafe self.loop = loop }
}

/// What a thread waits for.
@unsafe
private struct WaitNote {
  let promise: CellRef
  let waiter: UnsafeMutablePointer<Waiter>
  /// Whose the waiter is: a thread, by its state.
  let thread: UnsafeMutableRawPointer
  var previous: UnsafeMutablePointer<WaitNote>?
  var next: UnsafeMutablePointer<WaitNote>?
}

/// The notes, by the promise. Made at the first wait.
private typealias WaitTable = UnsafeMutablePointer<UnsafeMutablePointer<WaitNote>?>
private let waitTable = Single()
private var waitTableSize: Int { 256 }

private func slot(_ promise: CellRef, _ table: UnsafeMutableRawPointer) -> WaitTable {
  unsafe table.assumingMemoryBound(to: UnsafeMutablePointer<WaitNote>?.self) + Int(promise.index) % waitTableSize
}

/// Notes for so many promises, in one piece of memory.
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
    // From here on whoever settles one sees the note.
    for index in 0..<count {
      _ = unsafe notes[index].promise.cell.pointee.state.bitwiseOr(CellState.waited, ordering: .acquiringAndReleasing)
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

/// All notes.
enum WaitingThreads {
  /// Takes a note out. The lock is held.
  fileprivate static func remove(_ note: UnsafeMutablePointer<WaitNote>, _ table: UnsafeMutableRawPointer) {
    unsafe note.pointee.next?.pointee.previous = unsafe note.pointee.previous
    if let previous = unsafe note.pointee.previous {
      unsafe previous.pointee.next = unsafe note.pointee.next
    } else {
      unsafe slot(note.pointee.promise, table).pointee = unsafe note.pointee.next
    }
  }

  /// In a child of fork(): nobody else waits there, and where the others kept the word that they slept on is free to be
  /// another thread's stack.
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
  /// Wakes the threads that wait for this promise and others.
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

  /// Blocks until one of the promises is settled, for at most so many nanoseconds; negative: for ever; 0 only looks. The
  /// first one in their order that is settled; the caller holds them all. A deadlock if none of them could be; nil without
  /// memory.
  package static func waitAny(_ promise: (Int) -> CellRef, count: Int, nanoseconds: Int64) -> (
    result: WaitResult, index: Int
  )? {
    func firstSettled() -> Int? { (0..<count).first { promise($0).seenState.isSettled } }
    if let index = firstSettled() { return (.settled, index) }
    if nanoseconds == 0 { return (.timedOut, 0) }
    /// A deadlock, unless one was settled meanwhile; nil if one still may be.
    func deadlock() -> (WaitResult, Int)? {
      guard (0..<count).allSatisfy({ promise($0).isHeldUpByThisThread }) else { return nil }
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
  /// Runs the loop until the promise is settled: nil then. The caller holds it.
  func run(until promise: CellRef, nanoseconds: Int64) -> End? {
    if promise.seenState.isSettled { return nil }
    let deadline = nanoseconds <= 0 ? nanoseconds : CellTimer.deadline(after: nanoseconds)
    var waiter = unsafe Waiter(loop: self)
    let end: End? = unsafe withUnsafeMutablePointer(to: &waiter) { waiter in
      guard let notes = unsafe WaitNotes({ _ in promise }, count: 1, waiter) else { return nil }
      defer { unsafe notes.free() }
      return run(until: deadline, hasOthers: false) { promise.state.isSettled }
    }
    return promise.seenState.isSettled ? nil : end ?? .noMemory
  }
}
