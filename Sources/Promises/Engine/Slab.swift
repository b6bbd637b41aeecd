import CPlatform
import Synchronization

/// Where cells come from: one reserved range of addresses, given memory piece by piece and never taken back.
///
/// Each thread allocates from and frees to a list of its own, without atomic operations. It keeps a second, full list,
/// so that a thread that swings around the boundary does not go to the shared store each time. Full lists travel
/// between threads through that store, so memory stays flat when one thread makes the promises that another releases.
enum Slab {
  /// The first cell's address, and how many cells have memory. Cell 0 is never given out: index 0 means none.
  static let base = Atomic<UInt>(0)
  static let committed = Atomic<UInt64>(0)

  /// Cells in a list that travels.
  static var batch: UInt32 { 128 }
  /// Cells that get memory at a time: 256 KiB.
  static var piece: UInt64 { 4096 }
  /// The same once there is much: a large page, for a process with so many promises would spend as long on small pages,
  /// one by one, as on the promises. Not before it adds a sixteenth at most to what the process uses.
  static var largePiece: UInt64 { UInt64(PLATFORM_LARGE_PAGE) / UInt64(Cell.size) }
  static var much: UInt64 { 16 * largePiece }
  /// 2^28 cells, 16 GiB of addresses; less where the process may not reserve that much.
  static var capacity: UInt64 { 1 << 28 }
}

/// The shared store, under `PLATFORM_LOCK_SLAB`.
nonisolated(unsafe) private var store: UnsafeMutablePointer<Cell>?
nonisolated(unsafe) private var carved: UInt64 = 0
nonisolated(unsafe) private var reserved: UInt64 = 0

extension CellRef {
  /// A new cell with `references` references and everything else as its last owner left it; nil when memory has run
  /// out.
  @inline(__always)
  static func allocate(_ kind: CellKind, references: UInt64) -> CellRef? {
    let thread = unsafe platform_thread()
    let ref: CellRef
    if let free = unsafe thread.pointee.free {
      ref = unsafe CellRef(free.assumingMemoryBound(to: Cell.self))
    } else {
      guard let refilled = refill() else { return nil }
      ref = refilled
    }
    unsafe thread.pointee.free = unsafe ref.cell.pointee.context
    unsafe thread.pointee.room &+= 1
    let life = unsafe ref.cell.pointee.life.load(ordering: .relaxed)
    unsafe ref.cell.pointee.life.store(life | kind.rawValue << Life.kindShift | references, ordering: .relaxed)
    return ref
  }

  /// Gives the cell back. Its next token differs from every earlier one.
  @inline(__always)
  func deallocate() {
    let generation = unsafe (cell.pointee.life.load(ordering: .relaxed) >> Life.runtimeShift) &+ 1 << 6
    unsafe cell.pointee.life.store(generation << Life.runtimeShift, ordering: .releasing)
    guard generation >> 6 != Life.lastGeneration else { return }
    #if PROMISES_NO_REUSE
    // ThreadSanitizer does not see the Swift runtime's reference counts. They are what orders the last uses of a
    // promise object on other threads before its end, so it would take a cell's next owner for one that races with
    // them.
    return
    #else
    recycle()
    #endif
  }

  /// Puts a free cell on the thread's list.
  @inline(__always)
  private func recycle() {
    let thread = unsafe platform_thread()
    unsafe cell.pointee.context = unsafe thread.pointee.free
    unsafe thread.pointee.free = unsafe UnsafeMutableRawPointer(cell)
    guard unsafe thread.pointee.room != 0 else { return putAside() }
    unsafe thread.pointee.room &-= 1
  }
}

/// The thread's list is more than full: keep all but the last cell as the spare list, and send the spare one on. With
/// the last cell alone in the list, neither the next cell that is made nor the next that goes swings back.
///
/// Or the cell is the thread's first: from now on its end is watched.
@inline(never)
private func putAside() {
  let thread = unsafe platform_thread()
  unsafe thread.pointee.room = Slab.batch - 1
  guard unsafe thread.pointee.watched else { return watchThread() }
  if let spare = unsafe thread.pointee.spare { unsafe share(spare.assumingMemoryBound(to: Cell.self)) }
  let last = unsafe thread.pointee.free.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self)
  unsafe thread.pointee.spare = unsafe last.pointee.context
  unsafe last.pointee.context = nil
}

/// The thread's list is empty: take the spare one, one from the store, or new cells.
@inline(never)
private func refill() -> CellRef? {
  let thread = unsafe platform_thread()
  watchThread()
  if let spare = unsafe thread.pointee.spare {
    unsafe thread.pointee.spare = nil
    unsafe thread.pointee.free = unsafe spare
    unsafe thread.pointee.room = 0
    return unsafe CellRef(spare.assumingMemoryBound(to: Cell.self))
  }
  platform_lock(Int32(PLATFORM_LOCK_SLAB))
  defer { platform_unlock(Int32(PLATFORM_LOCK_SLAB)) }
  var count: UInt32 = 0
  var list: UnsafeMutablePointer<Cell>?
  if let shared = unsafe store {
    unsafe store = unsafe shared.pointee.nextBatch
    unsafe list = unsafe shared
    count = unsafe shared.pointee.next
  } else {
    unsafe (list, count) = unsafe carve()
  }
  guard let list = unsafe list else { return nil }
  unsafe thread.pointee.free = UnsafeMutableRawPointer(list)
  unsafe thread.pointee.room = Slab.batch - count
  return unsafe CellRef(list)
}

/// Puts a list of free cells into the store. A shared list's first cell holds its length and the next list.
private func share(_ list: UnsafeMutablePointer<Cell>, count: UInt32 = Slab.batch) {
  platform_lock(Int32(PLATFORM_LOCK_SLAB))
  unsafe list.pointee.next = count
  unsafe list.pointee.nextBatch = unsafe store
  unsafe store = unsafe list
  platform_unlock(Int32(PLATFORM_LOCK_SLAB))
}

extension Cell {
  /// The next list in the store, in the first cell of one.
  fileprivate var nextBatch: UnsafeMutablePointer<Cell>? {
    get { unsafe function?.assumingMemoryBound(to: Cell.self) }
    set { unsafe function = UnsafeMutableRawPointer(newValue) }
  }
}

/// A list of cells that were never used. The caller holds the slab's lock.
private func carve() -> (UnsafeMutablePointer<Cell>?, UInt32) {
  if unsafe reserved == 0 && !reserve() { return (nil, 0) }
  let committed = Slab.committed.load(ordering: .relaxed)
  if unsafe carved == committed {
    let grown = unsafe min(committed < Slab.much ? Slab.piece : Slab.largePiece, reserved - committed)
    let start = unsafe UnsafeMutableRawPointer(bitPattern: Slab.base.load(ordering: .relaxed) + UInt(committed) * 64)
    guard grown > 0, let start = unsafe start, unsafe platform_commit(start, Int(grown) * Cell.size) else {
      return (nil, 0)
    }
    Slab.committed.store(committed + grown, ordering: .relaxed)
    if unsafe carved == 0 { unsafe carved = 1 }
  }
  // Two copies of the engine in a process reserve ranges that do not overlap, so these bits of their addresses differ:
  // for ranges of one size always, for unequal ones, where a process may not reserve as much as it wants, most likely.
  let runtime = unsafe UInt64(Slab.base.load(ordering: .relaxed)) / (reserved * UInt64(Cell.size)) & 63
  let count = unsafe min(UInt64(Slab.batch), Slab.committed.load(ordering: .relaxed) - carved)
  var list: UnsafeMutablePointer<Cell>?
  for index in unsafe (carved..<carved + count).reversed() {
    let cell = unsafe CellRef(index: UInt32(index)).cell
    unsafe cell.pointee.life.store(1 << Life.generationShift | runtime << Life.runtimeShift, ordering: .relaxed)
    unsafe cell.pointee.context = UnsafeMutableRawPointer(list)
    unsafe list = unsafe cell
  }
  unsafe carved += count
  return unsafe (list, UInt32(count))
}

private func reserve() -> Bool {
  var cells = Slab.capacity
  while cells >= Slab.piece {
    if let start = unsafe platform_reserve(Int(cells) * Cell.size) {
      Slab.base.store(UInt(bitPattern: start), ordering: .relaxed)
      unsafe reserved = cells
      ForkedChild.prepare()
      return true
    }
    cells /= 2
  }
  return false
}

/// Sees to it that a thread's free cells go to the others when it ends.
private func watchThread() {
  let thread = unsafe platform_thread()
  guard unsafe !thread.pointee.watched else { return }
  unsafe thread.pointee.watched = true
  platform_at_thread_exit {
    let thread = unsafe platform_thread()
    unsafe thread.pointee.watched = false
    if let spare = unsafe thread.pointee.spare { unsafe share(spare.assumingMemoryBound(to: Cell.self)) }
    if let free = unsafe thread.pointee.free {
      unsafe share(free.assumingMemoryBound(to: Cell.self), count: Slab.batch - thread.pointee.room)
    }
    unsafe thread.pointee.spare = nil
    unsafe thread.pointee.free = nil
    unsafe thread.pointee.room = 0
  }
}
