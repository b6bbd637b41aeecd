import CPlatform
import Synchronization

/// A dump of the pending promises and their settlers: one line each. Other threads keep running and nothing is locked,
/// so each line was true at some moment during the dump.
@safe
package struct Dump {
  /// The number of cells at the start.
  let count: UInt32
  /// The job, gather or link that will settle a promise, by the promise's index.
  private let settlers: UnsafeMutablePointer<UInt32>
  /// The deadline of a timer, by its index.
  private let deadlines: UnsafeMutablePointer<Int64>
  let now = platform_now()

  /// Calls `line` with each line, without its terminator and with no lock held. False when memory has run out.
  package static func write(_ line: (UnsafeRawBufferPointer) -> Void) -> Bool {
    guard let dump = Dump() else { return false }
    defer { dump.free() }
    dump.findSettlers()
    return unsafe dump.write(line)
  }

  private init?() {
    count = UInt32(truncatingIfNeeded: Slab.committed.load(ordering: .relaxed))
    guard let settlers = unsafe calloc(max(Int(count), 1), MemoryLayout<UInt32>.stride) else { return nil }
    guard let deadlines = unsafe calloc(max(Int(count), 1), MemoryLayout<Int64>.stride) else {
      unsafe platform_free(settlers)
      return nil
    }
    unsafe self.settlers = unsafe settlers.assumingMemoryBound(to: UInt32.self)
    unsafe self.deadlines = unsafe deadlines.assumingMemoryBound(to: Int64.self)
  }

  private func free() {
    unsafe platform_free(settlers)
    unsafe platform_free(deadlines)
  }

  /// The index of the job, gather or link that will settle a promise; 0 if there is none, or a thread is running it.
  func settler(of promise: UInt32) -> UInt32 { unsafe promise < count ? settlers[Int(promise)] : 0 }

  /// The deadline of a timer; 0 if it is not pending.
  func deadline(of timer: UInt32) -> Int64 { unsafe timer < count ? deadlines[Int(timer)] : 0 }

  private func findSettlers() {
    let note: (Job, Int64) -> Void = { timer, deadline in
      if timer.ref.index < count { unsafe deadlines[Int(timer.ref.index)] = deadline }
    }
    Clock.forEachTimer(note)
    EventLoop.forEachTimer(note)
    for index in 0..<count {
      guard let cell = CellCopy(index) else { continue }
      var promise: UInt32 = 0
      if cell.isOf(.job) {
        promise = Job.promiseIndex(cell.state.bits)
      } else if cell.isOf(.other) && CellSubkind(rawValue: cell.meta) == .gather {
        promise = cell.next
      } else if cell.isOf(.promise) && cell.reactionKind == .link && !cell.state.isSettled {
        promise = cell.contextIndex
      }
      if promise < count { unsafe settlers[Int(promise)] = index }
    }
  }

  private func write(_ line: (UnsafeRawBufferPointer) -> Void) -> Bool {
    var text = TextBuffer()
    defer { text.free() }
    var pending = 0
    var untaken = 0
    for index in 0..<count {
      guard let cell = CellCopy(index), cell.isPromise, cell.state.isUnseen || !cell.state.isSettled else { continue }
      text.removeAll()
      if cell.state.isSettled {
        describeUntaken(cell, &text)
        untaken += 1
      } else {
        guard let callbacks = countCallbacks(cell) else { continue }
        describe(cell, callbacks: callbacks, &text)
        pending += 1
      }
      if text.hasFailed { return false }
      unsafe line(text.bytes)
    }
    text.removeAll()
    text.write(Int64(pending))
    text.write(pending == 1 ? " promise is pending" : " promises are pending")
    text.write(", ")
    text.write(Int64(untaken))
    text.write(" rejected and unhandled; ages are known of those made while a trace was on")
    if text.hasFailed { return false }
    unsafe line(text.bytes)
    return true
  }

  /// Counts the callbacks and promises that wait for a pending promise; nil if it was settled during the count. The
  /// list of a pending promise only grows, at the front, so the count is consistent.
  private func countCallbacks(_ promise: CellCopy) -> Int? {
    var callbacks = 0
    var steps = 0
    var next = promise.state.head
    while next != 0 {
      guard let reaction = CellCopy(next) else { break }
      if reaction.reactionKind != .cancelHandler && reaction.reactionKind != .detached { callbacks += 1 }
      next = reaction.next
      steps += 1
      if steps % 256 == 0, !isPending(promise) { return nil }
    }
    return isPending(promise) ? callbacks : nil
  }

  private func isPending(_ promise: CellCopy) -> Bool {
    promise.isCurrent && !CellRef(index: promise.index).state.isClaimed
  }
}
