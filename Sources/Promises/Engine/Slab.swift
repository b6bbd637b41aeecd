import CPlatform
import Synchronization

/// The allocator of cells: one reserved range of addresses, committed piece by piece.
///
/// Each thread allocates from and frees to its own free list, without atomic operations. It keeps a second, full list,
/// so that a thread that oscillates around the boundary does not enter the shared store each time. Full lists move
/// between threads through that store, so memory stays flat when one thread makes the promises that another releases.
///
///   carved --> a thread's lists <--> the store --(it is full)--> sorted by page --(a page is free)--> the system
///                    ^---------------------------------------------------+----------------------------------+
///
/// The store holds `storeLimit` cells. Lists beyond it are sorted by page, and pages without a cell in use are returned
/// to the system (SlabPages.swift). Allocating from sorted pages raises the limit: a program with recurring peaks of
/// load keeps up to 64 MiB instead of returning the same pages and faulting them in again.
package enum Slab {
  /// The address of the first cell, and the number of committed cells. Cell 0 is never allocated: index 0 means none.
  ///
  /// Written under the slab's lock, and read relaxed elsewhere. A thread that has a handle received it after the cell
  /// was carved, so it sees both words; for a forged handle, or in a dump, a stale number means that no cell is found.
  static let base = Atomic<UInt>(0)
  static let committed = Atomic<UInt64>(0)

  /// The number of cells in a list that moves through the store.
  static var batch: UInt32 { 128 }
  /// The number of cells committed at a time: 256 KiB.
  static var piece: UInt64 { 4096 }
  /// The number of cells committed at a time beyond `much`: a large page. A process with that many promises would
  /// otherwise spend as long on faulting in small pages as on the promises. `much` bounds the excess to a sixteenth of
  /// the memory in use.
  static var largePiece: UInt64 { UInt64(PLATFORM_LARGE_PAGE) / UInt64(Cell.size) }
  static var much: UInt64 { 16 * largePiece }
  /// The number of cells to reserve: 16 GiB of addresses; fewer where the process may not reserve that much.
  static var capacity: UInt64 { 1 << 28 }

  /// The number of cells that the store keeps unsorted: 4 MiB at first, 64 MiB at most.
  static var leastStored: Int { 1 << 16 }
  static var mostStored: Int { 1 << 20 }

  /// The number of cells ever carved, and the number of reserved cells, guarded by `PLATFORM_LOCK_SLAB`.
  nonisolated(unsafe) fileprivate(set) static var carved: UInt64 = 0
  nonisolated(unsafe) fileprivate(set) static var reserved: UInt64 = 0
}

/// The shared store, guarded by `PLATFORM_LOCK_SLAB`: its lists of cells, its number of cells, and the limit of that
/// number.
nonisolated(unsafe) private var store: UnsafeMutablePointer<Cell>?
nonisolated(unsafe) private var stored = 0
nonisolated(unsafe) private var storeLimit = Slab.leastStored

extension CellRef {
  /// Allocates a cell with `references` references; all other fields keep the values of the last owner. Nil when memory
  /// has run out.
  @inline(__always)
  static func allocate(_ kind: CellKind, references: UInt64) -> CellRef? {
    allocateNew(kind, references: references)?.ref
  }

  /// Allocates a cell as allocate() does, and returns it with its token.
  @inline(__always)
  static func allocateNew(_ kind: CellKind, references: UInt64) -> NewCell? {
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
    let life = unsafe ref.cell.pointee.life.load(ordering: .relaxed) | kind.rawValue << Life.kindShift
    unsafe ref.cell.pointee.life.store(life | references, ordering: .relaxed)
    return NewCell(ref: ref, token: Token(bits: life | ref.wideIndex))
  }

  /// Frees the cell. Its next token differs from every earlier one.
  @inline(__always)
  func deallocate() { unsafe deallocate(cell.pointee.life.load(ordering: .relaxed)) }

  /// Frees the cell, whose life word is `life`.
  @inline(__always)
  func deallocate(_ life: UInt64) {
    let life = life & ~(1 << Life.runtimeShift - 1)
    let (next, isUsedUp) = life.addingReportingOverflow(1 << Life.generationShift)
    unsafe cell.pointee.life.store(next, ordering: .releasing)
    guard !isUsedUp else { return }
    #if PROMISES_NO_REUSE
    // ThreadSanitizer does not see the Swift runtime's reference counts, which order the last uses of a promise object
    // on other threads before its release. It would report the next owner of a recycled cell as racing with them.
    return
    #else
    recycle()
    #endif
  }

  /// Pushes a free cell on the thread's list.
  @inline(__always)
  private func recycle() {
    let thread = unsafe platform_thread()
    unsafe cell.pointee.context = unsafe thread.pointee.free
    unsafe thread.pointee.free = unsafe UnsafeMutableRawPointer(cell)
    let (room, isFull) = unsafe thread.pointee.room.subtractingReportingOverflow(1)
    guard !isFull else { return replaceSpare() }
    unsafe thread.pointee.room = room
  }
}

/// Handles an overfull list of the thread: shares the spare list, and keeps all but the last cell as the new spare one.
/// With the last cell alone in the list, neither the next allocation nor the next release reverses this.
///
/// For the first cell that the thread frees, only registers the hook for the thread's exit.
@inline(never)
private func replaceSpare() {
  let thread = unsafe platform_thread()
  unsafe thread.pointee.room = Slab.batch - 1
  guard unsafe thread.pointee.watched else { return watchThread() }
  if let spare = unsafe thread.pointee.spare { unsafe share(spare.assumingMemoryBound(to: Cell.self)) }
  let last = unsafe thread.pointee.free.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self)
  unsafe thread.pointee.spare = unsafe last.pointee.context
  unsafe last.pointee.context = nil
}

/// Handles an empty list of the thread: takes the spare list, one from the store, or new cells.
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
  if unsafe store != nil {
    unsafe (list, count) = unsafe pop()
  } else if !SlabPages.isEmpty {
    unsafe (list, count) = unsafe SlabPages.take()
    unsafe storeLimit = min(storeLimit + Int(count), Slab.mostStored)
  } else {
    unsafe (list, count) = unsafe carve()
  }
  guard let list = unsafe list else { return nil }
  unsafe thread.pointee.free = UnsafeMutableRawPointer(list)
  unsafe thread.pointee.room = Slab.batch - count
  return unsafe CellRef(list)
}

/// Pushes a list of free cells on the store, or sorts it by page if the store is full. The first cell of a shared list
/// holds its length and the next list.
private func share(_ list: UnsafeMutablePointer<Cell>, count: UInt32 = Slab.batch) {
  platform_lock(Int32(PLATFORM_LOCK_SLAB))
  defer { platform_unlock(Int32(PLATFORM_LOCK_SLAB)) }
  if unsafe stored >= storeLimit && SlabPages.prepare() {
    unsafe SlabPages.add(list)
    SlabPages.sweepIfWorthwhile()
    return
  }
  unsafe list.pointee.next = count
  unsafe list.nextBatch = unsafe store
  unsafe store = unsafe list
  unsafe stored += Int(count)
}

/// Pops the first list of the store, which must not be empty. Call with the slab's lock held.
private func pop() -> (UnsafeMutablePointer<Cell>, UInt32) {
  let list = unsafe store.unsafelyUnwrapped
  unsafe store = unsafe list.nextBatch
  unsafe stored -= Int(list.pointee.next)
  return unsafe (list, list.pointee.next)
}

extension Slab {
  /// Whether the calling thread can allocate a cell without refill().
  @inline(__always)
  package static var hasFreeCell: Bool { unsafe platform_thread().pointee.free != nil }

  /// Refills the calling thread's list; false if memory has run out. Hot functions call this out of line and start
  /// over: their usual path then makes no call across which it would have to save registers.
  package static func provide() -> Bool { refill() != nil }

  /// Returns all pages without a cell in use to the system, except for pages with cells in other threads' lists.
  /// Returns the number of bytes that the system took. Releases the lock at intervals for other threads.
  package static func trim() -> Int {
    shareOwnLists()
    platform_lock(Int32(PLATFORM_LOCK_SLAB))
    defer { platform_unlock(Int32(PLATFORM_LOCK_SLAB)) }
    guard unsafe reserved != 0, SlabPages.prepare() else { return 0 }
    unsafe storeLimit = leastStored
    var rest = unsafe stored
    while unsafe rest > 0 && store != nil {
      let (list, count) = unsafe pop()
      unsafe SlabPages.add(list)
      rest -= Int(count)
      letOthersIn()
    }
    var pages = 0
    while true {
      let given = SlabPages.giveBack(atMost: 4096)
      if given == 0 { return pages * SlabPages.pageSize }
      pages += given
      letOthersIn()
    }
  }

  /// A page with memory, and those of its cells that were ever carved, except cell 0.
  struct ResidentPage {
    let page: Int
    let cells: Range<UInt32>
  }

  /// The first resident page from `page` on; nil if there is none.
  static func resident(from page: Int) -> ResidentPage? {
    platform_lock(Int32(PLATFORM_LOCK_SLAB))
    defer { platform_unlock(Int32(PLATFORM_LOCK_SLAB)) }
    guard let page = SlabPages.resident(from: page) else { return nil }
    let first = UInt64(page) * SlabPages.cellsOfPage
    let end = unsafe min(first + SlabPages.cellsOfPage, carved)
    return ResidentPage(page: page, cells: UInt32(max(first, 1))..<UInt32(end))
  }

  private static func letOthersIn() {
    platform_unlock(Int32(PLATFORM_LOCK_SLAB))
    platform_lock(Int32(PLATFORM_LOCK_SLAB))
  }
}

// Properties of the pointer: a setter of the cell would be an access to all of it, while other threads may read the
// atomic words of a free cell (PublishAndRelease.swift).
extension UnsafeMutablePointer<Cell> {
  /// The next cell of a list.
  var nextFree: UnsafeMutablePointer<Cell>? {
    get { unsafe pointee.context?.assumingMemoryBound(to: Cell.self) }
    nonmutating set { unsafe pointee.context = UnsafeMutableRawPointer(newValue) }
  }

  /// The next list in the store, stored in the first cell of a list.
  fileprivate var nextBatch: UnsafeMutablePointer<Cell>? {
    get { unsafe pointee.function?.assumingMemoryBound(to: Cell.self) }
    nonmutating set { unsafe pointee.function = UnsafeMutableRawPointer(newValue) }
  }
}

/// Carves a list of cells that were never used. Call with the slab's lock held.
private func carve() -> (UnsafeMutablePointer<Cell>?, UInt32) {
  if unsafe Slab.reserved == 0 && !reserve() { return (nil, 0) }
  let committed = Slab.committed.load(ordering: .relaxed)
  if unsafe Slab.carved == committed {
    let grown = unsafe min(committed < Slab.much ? Slab.piece : Slab.largePiece, Slab.reserved - committed)
    let start = unsafe UnsafeMutableRawPointer(bitPattern: Slab.base.load(ordering: .relaxed) + UInt(committed) * 64)
    guard grown > 0, let start = unsafe start, unsafe platform_commit(start, Int(grown) * Cell.size) else {
      return (nil, 0)
    }
    Slab.committed.store(committed + grown, ordering: .relaxed)
    if unsafe Slab.carved == 0 { unsafe Slab.carved = 1 }
  }
  let count = unsafe min(UInt64(Slab.batch), Slab.committed.load(ordering: .relaxed) - Slab.carved)
  let first = unsafe CellRef(index: UInt32(Slab.carved)).cell
  unsafe Slab.carved += count
  return unsafe (Slab.format(first, count: count, generation: 1), UInt32(count))
}

extension Slab {
  /// Formats adjacent cells as a free list whose tokens begin with `generation`.
  static func format(_ first: UnsafeMutablePointer<Cell>, count: UInt64, generation: UInt64)
    -> UnsafeMutablePointer<Cell>
  {
    // Two copies of the engine in a process reserve disjoint ranges, so these bits of their addresses differ: always
    // for ranges of equal size, and most likely for unequal ones (a process whose address space is limited reserves
    // less).
    let runtime = unsafe UInt64(Slab.base.load(ordering: .relaxed)) / (reserved * UInt64(Cell.size)) & 63
    let life = generation << Life.generationShift | runtime << Life.runtimeShift
    for place in 0..<Int(count) {
      let cell = unsafe first + place
      unsafe cell.pointee.life.store(life, ordering: .relaxed)
      unsafe cell.nextFree = place + 1 < Int(count) ? cell + 1 : nil
    }
    return unsafe first
  }
}

private func reserve() -> Bool {
  var cells = Slab.capacity
  while cells >= Slab.piece {
    if let start = unsafe platform_reserve(Int(cells) * Cell.size) {
      Slab.base.store(UInt(bitPattern: start), ordering: .relaxed)
      unsafe Slab.reserved = cells
      ForkedChild.prepare()
      return true
    }
    cells /= 2
  }
  return false
}

/// Registers a hook that shares the thread's free cells when the thread exits.
private func watchThread() {
  let thread = unsafe platform_thread()
  guard unsafe !thread.pointee.watched else { return }
  unsafe thread.pointee.watched = true
  platform_at_thread_exit {
    unsafe platform_thread().pointee.watched = false
    shareOwnLists()
  }
}

/// Pushes the calling thread's free cells on the store.
private func shareOwnLists() {
  let thread = unsafe platform_thread()
  if let spare = unsafe thread.pointee.spare { unsafe share(spare.assumingMemoryBound(to: Cell.self)) }
  if let free = unsafe thread.pointee.free {
    unsafe share(free.assumingMemoryBound(to: Cell.self), count: Slab.batch - thread.pointee.room)
  }
  unsafe thread.pointee.spare = nil
  unsafe thread.pointee.free = nil
  unsafe thread.pointee.room = 0
}
