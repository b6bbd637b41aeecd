import CPlatform
import Synchronization

/// Free cells sorted by page, so that a page whose cells are all free can be returned to the system.
///
///              free   isReturned
///   unknown    0      no           its cells are in use, or in unsorted lists
///   partial    1..63  no           its free cells form a list
///   free       64     no           likewise, and the next sweep may return the page
///   returned   64     yes          the page has no memory and reads 0: a life word of no kind, so every token is stale
///
/// A page remembers the latest generation of its cells. When the page is used again, all its cells begin with that
/// generation, so tokens from before the page was returned stay stale.
///
/// Not thread-safe: call only with PLATFORM_LOCK_SLAB held.
enum SlabPages {
  static var cellsOfPage: UInt64 { 64 }
  static var pageSize: Int { 64 * Cell.size }

  /// The number of free pages that triggers a sweep, and the maximum that one sweep returns, so that no call takes
  /// long.
  fileprivate static var sweep: Int { 1024 }
}

@unsafe
private struct Page {
  /// The highest generation of the page's free cells.
  var generation: UInt32
  /// The place of the first free cell in the page. The others follow, linked by `context`.
  var first: UInt16
  var free: UInt8
  var isReturned: Bool
}

nonisolated(unsafe) private var table: UnsafeMutablePointer<Page>?
/// The number of cells in lists of pages, free pages included.
nonisolated(unsafe) private var listed = 0
nonisolated(unsafe) private var freePages = 0
nonisolated(unsafe) private var returnedPages = 0
/// No page before `lowestListed` has a list, and no page before `lowestReturned` was returned.
nonisolated(unsafe) private var lowestListed = 0
nonisolated(unsafe) private var lowestReturned = 0
/// The page at which the next sweep begins.
nonisolated(unsafe) private var sweeper = 0
/// The system refused to take a page back: retry only on trim().
nonisolated(unsafe) private var isRefused = false

extension SlabPages {
  /// The number of pages from which cells were carved.
  private static var count: Int { unsafe Int((Slab.carved + cellsOfPage - 1) / cellsOfPage) }

  static var isEmpty: Bool { unsafe listed == 0 && returnedPages == 0 }

  /// Allocates the table of pages; false if memory has run out.
  static func prepare() -> Bool {
    if unsafe table != nil { return true }
    guard let memory = unsafe platform_map(Int(Slab.reserved / cellsOfPage) * MemoryLayout<Page>.stride) else {
      return false
    }
    unsafe table = unsafe memory.assumingMemoryBound(to: Page.self)
    return true
  }

  /// Sorts a list of free cells into their pages. The table must exist.
  static func add(_ list: UnsafeMutablePointer<Cell>) {
    let table = unsafe table.unsafelyUnwrapped
    var next: UnsafeMutablePointer<Cell>? = unsafe list
    while let cell = unsafe next {
      unsafe next = unsafe cell.nextFree
      let index = UInt64(unsafe CellRef(cell).index)
      let number = Int(index / cellsOfPage)
      let page = unsafe table + number
      let generation = unsafe UInt32(cell.pointee.life.load(ordering: .relaxed) >> Life.generationShift)
      unsafe cell.nextFree = unsafe page.pointee.free == 0 ? nil : Slab.cell(number, page.pointee.first)
      unsafe page.pointee.first = UInt16(index % cellsOfPage)
      unsafe page.pointee.free += 1
      if unsafe generation > page.pointee.generation { unsafe page.pointee.generation = generation }
      if unsafe page.pointee.free == cellsOfPage { unsafe freePages += 1 }
      unsafe listed += 1
      if unsafe number < lowestListed { unsafe lowestListed = number }
    }
  }

  /// Takes a list of at most `Slab.batch` cells: from resident pages first, otherwise from a returned one.
  static func take() -> (UnsafeMutablePointer<Cell>?, UInt32) {
    var list: UnsafeMutablePointer<Cell>?
    var taken: UInt32 = 0
    guard let table = unsafe table else { return (nil, 0) }
    while unsafe listed > 0 {
      while unsafe !table[lowestListed].hasList { unsafe lowestListed += 1 }
      let page = unsafe table + lowestListed
      let free = unsafe UInt32(page.pointee.free)
      guard taken + free <= Slab.batch else { break }
      if unsafe page.pointee.free == cellsOfPage { unsafe freePages -= 1 }
      var next: UnsafeMutablePointer<Cell>? = unsafe Slab.cell(lowestListed, page.pointee.first)
      while let cell = unsafe next {
        unsafe next = unsafe cell.nextFree
        unsafe cell.nextFree = unsafe list
        unsafe list = unsafe cell
      }
      unsafe page.pointee.free = 0
      unsafe listed -= Int(free)
      taken += free
    }
    while unsafe taken == 0 && returnedPages > 0 {
      while unsafe !table[lowestReturned].isReturned { unsafe lowestReturned += 1 }
      let page = unsafe table + lowestReturned
      unsafe list = Slab.format(
        unsafe Slab.cell(lowestReturned, 0), count: cellsOfPage, generation: UInt64(page.pointee.generation))
      unsafe page.pointee.isReturned = false
      unsafe page.pointee.free = 0
      unsafe returnedPages -= 1
      taken = UInt32(cellsOfPage)
    }
    return unsafe (list, taken)
  }

  /// Returns free pages to the system once there are enough to amortize the search.
  static func sweepIfWorthwhile() {
    guard unsafe freePages >= max(sweep, count / 64) && !isRefused else { return }
    _ = giveBack(atMost: sweep)
  }

  /// Returns at most `limit` free pages to the system, adjacent ones in one call. Returns the number of pages the
  /// system took.
  static func giveBack(atMost limit: Int) -> Int {
    guard let table = unsafe table else { return 0 }
    let count = self.count
    var given = 0
    var seen = 0
    while given < limit, seen < count, unsafe freePages > 0 {
      if unsafe sweeper >= count { unsafe sweeper = 0 }
      let first = unsafe sweeper
      var end = first
      while end < count, end - first < limit - given, unsafe table[end].isFree { end += 1 }
      seen += max(end - first, 1)
      unsafe sweeper = max(end, first + 1)
      guard end > first else { continue }
      let isTaken = unsafe platform_give_back(UnsafeMutableRawPointer(Slab.cell(first, 0)), (end - first) * pageSize)
      unsafe isRefused = !isTaken
      guard isTaken else { break }
      for page in first..<end { unsafe table[page].isReturned = true }
      given += end - first
      unsafe freePages -= end - first
      unsafe returnedPages += end - first
      unsafe listed -= (end - first) * Int(cellsOfPage)
      if unsafe first < lowestReturned { unsafe lowestReturned = first }
    }
    return given
  }

  /// The first resident page from `page` on; nil if there is none.
  static func resident(from page: Int) -> Int? {
    var page = page
    while page < count {
      guard let table = unsafe table, unsafe table[page].isReturned else { return page }
      page += 1
    }
    return nil
  }
}

extension Page {
  fileprivate var hasList: Bool { unsafe free != 0 && !isReturned }
  fileprivate var isFree: Bool { unsafe free == SlabPages.cellsOfPage && !isReturned }
}

extension Slab {
  fileprivate static func cell(_ page: Int, _ place: UInt16) -> UnsafeMutablePointer<Cell> {
    unsafe CellRef(index: UInt32(UInt64(page) * SlabPages.cellsOfPage) + UInt32(place)).cell
  }
}
