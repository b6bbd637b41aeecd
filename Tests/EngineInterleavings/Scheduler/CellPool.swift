import CPlatform
import CRaces
import Synchronization

/// The cells that a run may use. Each thread has its own, identical and in the same order at the beginning of every
/// run, so a schedule is reproducible down to the words that it touches.
struct CellPool {
  private static let perThread = 16
  private static let ofController = 48
  private let cells: [[CellRef]]

  init() {
    cells = (0...Scheduler.threads).map { thread in
      (0..<(thread == Scheduler.controller ? Self.ofController : Self.perThread)).map { _ in CellRef.promise()! }
    }
    for cell in cells.joined() { cell.release() }
    let addresses = cells.joined().map { unsafe UInt(bitPattern: $0.cell) }
    Scheduler.watched = addresses.min()!..<addresses.max()! + UInt(Cell.size)
    races_watch(Scheduler.watched.lowerBound, Scheduler.watched.upperBound)
  }

  /// The number of writes to the state of a free cell in this run.
  nonisolated(unsafe) private(set) static var updatesOfFreeCells = 0

  /// Counts a write to a word if it is the state of a free cell, to which no thread has a reference.
  static func noteUpdate(_ word: UnsafeRawPointer) {
    let address = UInt(bitPattern: word)
    guard Scheduler.watched.contains(address), (address - Scheduler.watched.lowerBound) % UInt(Cell.size) == 0 else {
      return
    }
    let life = unsafe platform_fixed_word(word + Cell.lifeOffset)
    if life & Life.kindMask == 0 { updatesOfFreeCells += 1 }
  }

  /// The number of cells in use.
  var live: Int {
    var live = 0
    for cells in cells {
      for ref in cells where unsafe ref.cell.pointee.life.load(ordering: .relaxed) & Life.kindMask != 0 { live += 1 }
    }
    return live
  }

  /// Deals every thread its own cells. Call while none is in use.
  func deal() {
    Self.updatesOfFreeCells = 0
    for (thread, cells) in cells.enumerated() {
      var list: UnsafeMutableRawPointer?
      for ref in cells.reversed() {
        unsafe ref.cell.pointee.context = unsafe list
        unsafe list = unsafe UnsafeMutableRawPointer(ref.cell)
      }
      var block = ThreadBlock()
      unsafe block.free = unsafe list
      block.room = Slab.batch - UInt32(cells.count)
      unsafe block.watched = true
      unsafe Scheduler.threadBlocks[thread] = unsafe block
    }
  }

}
