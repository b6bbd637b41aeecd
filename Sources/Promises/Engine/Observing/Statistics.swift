import CPlatform
import Synchronization

/// Live objects by kind, and the memory of cells.
///
/// Counted by a walk over all resident cells, so the hot path has no counters. Other threads keep running: each cell is
/// counted in its state at some moment of the walk.
package struct Statistics {
  package var pending: UInt64 = 0
  package var settled: UInt64 = 0
  /// Reactions that are not promises: observers, cancel-request handlers, inputs of gathers, links.
  package var callbacks: UInt64 = 0
  package var values: UInt64 = 0
  /// The number of executors, without permanent ones.
  package var executors: UInt64 = 0
  package var jobs: UInt64 = 0
  package var tokens: UInt64 = 0
  package var gathers: UInt64 = 0
  /// The number of loops, without the main loop.
  package var loops: UInt64 = 0
  package var publishers: UInt64 = 0
  package var subscribers: UInt64 = 0
  package var queues: UInt64 = 0
  /// The number of types, without built-in ones.
  package var types: UInt64 = 0
  /// Entries of lists, and token guards.
  package var internals: UInt64 = 0
  package var threads: UInt32 = 0
  /// The bytes of all resident cells.
  package var resident: UInt64 = 0
  /// The bytes of free resident cells.
  package var reusable: UInt64 = 0

  package static var now: Statistics {
    var statistics = Statistics()
    statistics.threads = UInt32(clamping: platform_own_threads())
    var page = 0
    while let resident = Slab.resident(from: page) {
      statistics.count(resident)
      page = resident.page + 1
    }
    return statistics
  }

  private mutating func count(_ page: Slab.ResidentPage) {
    for index in page.cells {
      resident += UInt64(Cell.size)
      if let cell = CellCopy(index) {
        count(cell)
      } else if CellRef(index: index).life & Life.kindMask == 0 {
        reusable += UInt64(Cell.size)
      }
    }
  }

  private mutating func count(_ cell: CellCopy) {
    switch cell.kind.rawValue {
    case CellKind.promise.rawValue:
      if !cell.isHoldable {
        callbacks += 1
      } else if cell.state.isSettled {
        settled += 1
      } else {
        pending += 1
      }
    case CellKind.type.rawValue: if !TypeRegistry.isBuiltIn(cell.index) { types += 1 }
    case CellKind.executor.rawValue: if !ExecutorKind(rawValue: cell.meta).isPermanent { executors += 1 }
    case CellKind.job.rawValue: jobs += 1
    case CellKind.box.rawValue: values += 1
    default: countOther(cell)
    }
  }

  private mutating func countOther(_ cell: CellCopy) {
    switch CellSubkind(rawValue: cell.meta) {
    case .cancelToken: tokens += 1
    case .gather: gathers += 1
    case .loop: if !cell.isMainLoop { loops += 1 }
    case .publisher: publishers += 1
    case .subscriber: subscribers += 1
    case .queue: queues += 1
    default: internals += 1
    }
  }
}

extension CellCopy {
  /// The kind; for a cell that is being destroyed, its kind before.
  fileprivate var kind: CellKind {
    isOf(.dying) ? CellKind(rawValue: references) : CellKind(rawValue: life >> Life.kindShift & 7)
  }

  fileprivate var isMainLoop: Bool {
    guard let executor = CellCopy(contextIndex) else { return false }
    return ExecutorKind(rawValue: executor.meta) == .main
  }
}
