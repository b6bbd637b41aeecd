import CPlatform
import Synchronization

// Nomenclature
//
//   cell      one 64-byte cache line in the slab. Its memory stays a cell for ever; what it holds is told by its kind.
//   promise   a cell that settles once: pending, then fulfilled with a value or rejected with a reason.
//   reaction  what a promise does when the one it was derived from - its source - settles: a handler with its
//             context, kept in the derived cell itself. So `then` takes one cell and nothing else, and the list of a
//             promise's reactions is the list of the cells derived from it.
//   box       a cell that owns a string, bytes, an error or an object, and counts who shares it.
//   job       a cell that holds a reaction whose handlers run on an executor.
//
// Fields by kind
//
//            state        value          next           meta           function     context      free
//   promise  CellState    the outcome    the next       its reaction:  its          handler's    handler's
//                                        reaction of    ReactionKind   handler      ctx          free_ctx
//                                        its source     | type << 4
//   free     -            -              list length    -              next list    next free    -
//   others   Box.swift, TypeRegistry.swift, CellExecutor.swift, Job.swift
//
// Who may touch what: `state` and `life` are atomic. `value` belongs to the call that claimed the cell until it
// publishes the settlement; afterwards everyone reads it and no one writes. `next`, `meta`, `function`, `context`,
// `free` describe the pending reaction: they belong to the call that attaches it, then to the one that settles its
// source (which also keeps its place in them while it runs the reactions of this cell: Settle.swift).

/// A C function that frees a context.
package typealias FreeFunction = @convention(c) (UnsafeMutableRawPointer?) -> Void

@safe
package struct Cell: ~Copyable {
  let state: Atomic<UInt64>
  let life: Atomic<UInt64>
  var value: CellValue
  var next: UInt32
  var meta: UInt32
  var function: UnsafeMutableRawPointer?
  var context: UnsafeMutableRawPointer?
  var free: FreeFunction?

  static var size: Int { 64 }
  /// Of `life`.
  static var lifeOffset: Int { 8 }
  /// Of `value`.
  static var valueOffset: Int { 16 }
  /// Of `function`, which with `context` makes room for a closure.
  static var closureOffset: Int { 40 }
  /// Of `context`, which with `free` makes room for one too.
  static var contextOffset: Int { 48 }
}

/// What a cell is: three bits of its life word, so a handle of one kind is refused where another is wanted.
@usableFromInline
package struct CellKind {
  @usableFromInline let rawValue: UInt64
  package static var promise: CellKind { CellKind(rawValue: 1) }
  package static var type: CellKind { CellKind(rawValue: 2) }
  package static var executor: CellKind { CellKind(rawValue: 3) }
  package static var job: CellKind { CellKind(rawValue: 4) }
  package static var box: CellKind { CellKind(rawValue: 5) }
  package static var dying: CellKind { CellKind(rawValue: 6) }
  /// One of those that are few: its `meta` says which.
  package static var other: CellKind { CellKind(rawValue: 7) }
}

/// What a cell of the kind `other` is: its `meta`.
package struct CellSubkind: Equatable {
  package let rawValue: UInt32
  package static var cancelToken: CellSubkind { CellSubkind(rawValue: 1) }
  package static var gate: CellSubkind { CellSubkind(rawValue: 2) }
  package static var gather: CellSubkind { CellSubkind(rawValue: 3) }
  /// An entry of a list, which its owner frees.
  package static var entry: CellSubkind { CellSubkind(rawValue: 4) }
  package static var loop: CellSubkind { CellSubkind(rawValue: 5) }
  package static var publisher: CellSubkind { CellSubkind(rawValue: 6) }
  package static var subscriber: CellSubkind { CellSubkind(rawValue: 7) }
  package static var queue: CellSubkind { CellSubkind(rawValue: 8) }
  package static var completion: CellSubkind { CellSubkind(rawValue: 9) }
  /// A context that is about to go.
  package static var rest: CellSubkind { CellSubkind(rawValue: 10) }
}

/// A cell, by its address. Whoever holds one holds a reference, or knows who does.
@usableFromInline
@safe
package struct CellRef: Equatable, @unchecked Sendable {
  let cell: UnsafeMutablePointer<Cell>

  @inline(__always) init(_ cell: UnsafeMutablePointer<Cell>) { unsafe self.cell = unsafe cell }

  @usableFromInline package static func == (one: CellRef, other: CellRef) -> Bool {
    unsafe one.cell == other.cell
  }

  @inline(__always) package init(index: UInt32) {
    unsafe cell = unsafe UnsafeMutablePointer(
      bitPattern: Slab.base.load(ordering: .relaxed) &+ UInt(index) &* UInt(Cell.size)
    )
    .unsafelyUnwrapped
  }

  @inline(__always) package var index: UInt32 {
    unsafe UInt32(truncatingIfNeeded: (UInt(bitPattern: cell) &- Slab.base.load(ordering: .relaxed)) / UInt(Cell.size))
  }
}

// The life word
//
//   63          37 36      31 30   28   27    26            0
//   [ generation | runtime  | kind  | weak | references     ]
//
// A token is the same word with the cell's index in place of the last two: one compare tells whether it still means
// this cell. The kind of a free cell is 0, and its generation is the next one's. A cell whose generations are used up
// is never used again, so no stale token ever becomes valid.
enum Life {
  static var referencesMask: UInt64 { 0x07ff_ffff }
  /// Somebody has a weak reference (WeakCell.swift): whoever holds the only reference is not alone.
  static var weak: UInt64 { 1 << 27 }
  /// What is 1 when the caller's reference is the only one of any kind.
  static var holdersMask: UInt64 { weak | referencesMask }
  static var kindShift: UInt64 { 28 }
  static var kindMask: UInt64 { 7 << 28 }
  static var runtimeShift: UInt64 { 31 }
  static var generationShift: UInt64 { 37 }
  /// The life of a cell whose last reference is gone: every token of it is stale before contexts and destructors run, so
  /// what they do with it finds it gone. The kind is kept in place of the references.
  static func dying(_ life: UInt64) -> UInt64 {
    let kind = (life & kindMask) >> kindShift
    return life & ~(kindMask | holdersMask) | CellKind.dying.rawValue << kindShift | kind
  }
  /// As many references as a cell takes; the rest of the field is head room for calls that race past the check.
  static var referenceLimit: UInt64 { 1 << 26 }
}

extension CellRef {
  /// The closure in the place of `function` and `context`.
  @inline(__always)
  var closure: UnsafeMutablePointer<StoredClosure> {
    unsafe (UnsafeMutableRawPointer(cell) + Cell.closureOffset).assumingMemoryBound(to: StoredClosure.self)
  }

  /// The outcome of a settled promise.
  @usableFromInline
  package var value: CellValue { unsafe cell.pointee.value }

  /// The same where it lies, for as long as there is a reference.
  @inline(__always)
  var settledValue: UnsafePointer<CellValue> {
    unsafe UnsafePointer((UnsafeMutableRawPointer(cell) + Cell.valueOffset).assumingMemoryBound(to: CellValue.self))
  }

  /// What stands in the places of `kind` and `box`, for cells that keep something of their own in each: one may be read
  /// while the other is written.
  var firstHalf: UInt32 {
    get { unsafe UnsafeRawPointer(cell).load(fromByteOffset: Cell.valueOffset, as: UInt32.self) }
    nonmutating set {
      unsafe UnsafeMutableRawPointer(cell).storeBytes(of: newValue, toByteOffset: Cell.valueOffset, as: UInt32.self)
    }
  }
  var secondHalf: UInt32 {
    unsafe UnsafeRawPointer(cell).load(fromByteOffset: Cell.valueOffset + 4, as: UInt32.self)
  }

  /// Takes another reference; false if there are too many.
  package func retain() -> Bool {
    guard unsafe cell.pointee.life.load(ordering: .relaxed) & Life.referencesMask < Life.referenceLimit else {
      return false
    }
    unsafe cell.pointee.life.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  /// Gives back one reference; with the last one the cell is disposed of. The caller may know that it is a promise.
  @inline(__always)
  package func release(isPromise: Bool = false) {
    let life = unsafe cell.pointee.life.load(ordering: .acquiring)
    let isPromise = isPromise || life & Life.kindMask == CellKind.promise.rawValue << Life.kindShift
    let holders = life & Life.holdersMask
    // The only reference: as a rule nobody else can reach the cell, and no atomic operation is needed to give it back.
    let isLast = holders == 1 || (holders == 2 && isPromise && state.isGivenBack)
    if isLast && lastReferenceGone(life, isPromise: isPromise) { return }
    releaseShared(life)
  }

  /// Gives back a reference to a cell that others may reach meanwhile.
  @inline(never)
  private func releaseShared(_ observed: UInt64) {
    var life = observed
    while true {
      switch life & Life.referencesMask {
      case 1:
        let isPromise = life & Life.kindMask == CellKind.promise.rawValue << Life.kindShift
        guard exchange(&life, for: Life.dying(life)) else { continue }
        if isPromise { awaitLetGo() }
        return dispose()
      case 2 where isWatched(life):
        if releaseWatched(&life) { return }
      case 2 where life & Life.kindMask == CellKind.promise.rawValue << Life.kindShift:
        if releaseLastButOne(&life) { return }
      default:
        if exchange(&life, for: life &- 1) { return }
      }
    }
  }

  /// Changes the life word if it is as it was observed; otherwise observes it anew.
  func exchange(_ life: inout UInt64, for desired: UInt64) -> Bool {
    let (exchanged, original) = unsafe cell.pointee.life.weakCompareExchange(
      expected: life, desired: desired, successOrdering: .sequentiallyConsistent, failureOrdering: .acquiring)
    if !exchanged { life = original }
    return exchanged
  }
}
