import CPlatform
import Synchronization

// Nomenclature
//
//   cell      one 64-byte cache line in the slab. Its memory stays a cell forever; the kind says what it holds.
//   promise   a cell that settles once: pending, then fulfilled with a value or rejected with a reason.
//   reaction  the work of a derived promise when its source settles: a handler and its context, stored in the derived
//             cell itself. So `then` takes one cell and nothing else, and a promise's list of reactions is the list of
//             the cells derived from it. The source is the promise upstream, the derived one is downstream.
//   box       a cell that owns the memory of a value, such as a string or an array, and counts its references.
//   job       a cell that holds a reaction whose handlers run on an executor.
//
// Fields by kind
//
//            state        value          next           meta           function     context      free
//   promise  CellState    the outcome;   the next       its reaction:  its          handler's    handler's
//                         DetachState    reaction of    ReactionKind   handler      ctx          free_ctx
//                         while pending  its source     | type << 4
//   free     -            -              list length    -              next list    next free    -
//   others   Box.swift, TypeRegistry.swift, CellExecutor.swift, Job.swift, and the files of `CellSubkind`
//
// Ownership of the fields: `state` and `life` are atomic. `value` belongs to the call that claimed the cell until that
// call publishes the settlement; from then on it is read-only. Before the claim it holds the state of detaching,
// guarded by hold() (DetachState.swift). `next`, `meta`, `function`, `context` and `free` describe the pending
// reaction. They belong to the attaching call, then to the call that settles the source. The settling call also stores
// its position in these fields while it runs the reactions of this cell (Settle.swift).

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
  /// The offset of `life`.
  static var lifeOffset: Int { 8 }
  /// The offset of `value`.
  static var valueOffset: Int { 16 }
  /// The offset of `next`.
  static var nextOffset: Int { 32 }
  /// The offset of `meta`.
  static var metaOffset: Int { 36 }
  /// The offset of `function`, which together with `context` has the size of a closure.
  static var closureOffset: Int { 40 }
  /// The offset of `context`, which together with `free` has the size of a closure, too.
  static var contextOffset: Int { 48 }
  /// The offset of `free`.
  static var freeOffset: Int { 56 }
}

/// The kind of a cell: three bits of its life word, so a handle of one kind is rejected where another kind is expected.
@usableFromInline
package struct CellKind {
  @usableFromInline let rawValue: UInt64
  package static var promise: CellKind { CellKind(rawValue: 1) }
  package static var type: CellKind { CellKind(rawValue: 2) }
  package static var executor: CellKind { CellKind(rawValue: 3) }
  package static var job: CellKind { CellKind(rawValue: 4) }
  package static var box: CellKind { CellKind(rawValue: 5) }
  package static var dying: CellKind { CellKind(rawValue: 6) }
  /// A rare kind, distinguished by the subkind in `meta`.
  package static var other: CellKind { CellKind(rawValue: 7) }
}

/// The subkind of a cell of the kind `other`, stored in `meta`.
package struct CellSubkind: Equatable {
  package let rawValue: UInt32
  package static var cancelToken: CellSubkind { CellSubkind(rawValue: 1) }
  package static var tokenGuard: CellSubkind { CellSubkind(rawValue: 2) }
  package static var gather: CellSubkind { CellSubkind(rawValue: 3) }
  /// An entry of a list, freed by the owner of the list.
  package static var entry: CellSubkind { CellSubkind(rawValue: 4) }
  package static var loop: CellSubkind { CellSubkind(rawValue: 5) }
  package static var publisher: CellSubkind { CellSubkind(rawValue: 6) }
  package static var subscriber: CellSubkind { CellSubkind(rawValue: 7) }
  package static var queue: CellSubkind { CellSubkind(rawValue: 8) }
  package static var completion: CellSubkind { CellSubkind(rawValue: 9) }
}

/// A cell, by its address. A holder of a CellRef owns a reference, or knows that the owner of one outlives it.
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

  @inline(__always) package var index: UInt32 { UInt32(truncatingIfNeeded: wideIndex) }

  /// `index` in the width of a token.
  @inline(__always) var wideIndex: UInt64 {
    unsafe UInt64((UInt(bitPattern: cell) &- Slab.base.load(ordering: .relaxed)) / UInt(Cell.size))
  }
}

// The life word
//
//   63          37 36      31 30   28   27    26            0
//   [ generation | runtime  | kind  | weak | references     ]
//
// A token is the life word with the cell's index in place of the weak bit and the references. One comparison decides
// whether the token still denotes this cell. The kind of a free cell is 0, and its generation is that of its next use.
// A cell whose generations are exhausted is never recycled, so a stale token never becomes valid again.
enum Life {
  static var referencesMask: UInt64 { 0x07ff_ffff }
  /// Set while a weak reference exists (WeakCell.swift): a strong reference may be taken from it at any time.
  static var weak: UInt64 { 1 << 27 }
  /// These bits are 1 when the caller's reference is the only one, strong or weak.
  static var holdersMask: UInt64 { weak | referencesMask }
  static var kindShift: UInt64 { 28 }
  static var kindMask: UInt64 { 7 << 28 }
  static var runtimeShift: UInt64 { 31 }
  static var generationShift: UInt64 { 37 }
  /// The life word of a cell whose last reference was released. Every token of the cell is stale before contexts and
  /// destructors run, so a destructor that uses one gets an error. The kind is kept in place of the references.
  static func dying(_ life: UInt64) -> UInt64 {
    let kind = (life & kindMask) >> kindShift
    return life & ~(kindMask | holdersMask) | CellKind.dying.rawValue << kindShift | kind
  }
  /// The maximum number of references of a cell; the rest of the field is head room for calls that race past the check.
  static var referenceLimit: UInt64 { 1 << 26 }
}

/// The result of replacing a word if it equals an expected one.
enum Exchange {
  case replaced
  /// The word differs, and the caller's copy is the current one now.
  case reloaded
}

/// The result of releasing a reference if a word equals an expected one.
enum Release {
  case released
  /// The word differs: the caller tries again with the current one.
  case retry
}

extension CellRef {
  /// The closure stored in `function` and `context`.
  @inline(__always)
  var closure: UnsafeMutablePointer<StoredClosure> {
    unsafe (UnsafeMutableRawPointer(cell) + Cell.closureOffset).assumingMemoryBound(to: StoredClosure.self)
  }

  /// The outcome of a settled promise.
  @usableFromInline
  package internal(set) var value: CellValue {
    get { unsafe cell.pointee.value }
    nonmutating set { unsafe cell.pointee.value = newValue }
  }

  /// The address of a settled promise's outcome, valid while the caller has a reference.
  @inline(__always)
  var settledValue: UnsafePointer<CellValue> {
    unsafe UnsafePointer((UnsafeMutableRawPointer(cell) + Cell.valueOffset).assumingMemoryBound(to: CellValue.self))
  }

  /// The two 32-bit words of `value`'s head (`kind` and `box`), for cells that store an independent field in each: one
  /// may be read while the other is written.
  var firstHalf: UInt32 {
    get { unsafe UnsafeRawPointer(cell).load(fromByteOffset: Cell.valueOffset, as: UInt32.self) }
    nonmutating set {
      unsafe UnsafeMutableRawPointer(cell).storeBytes(of: newValue, toByteOffset: Cell.valueOffset, as: UInt32.self)
    }
  }
  var secondHalf: UInt32 {
    unsafe UnsafeRawPointer(cell).load(fromByteOffset: Cell.valueOffset + 4, as: UInt32.self)
  }

  /// The life word.
  @inline(__always)
  var life: UInt64 { unsafe cell.pointee.life.load(ordering: .relaxed) }

  /// The life word, loaded with acquire ordering: everything that holders of released references did happens before.
  @inline(__always)
  var acquiredLife: UInt64 { unsafe cell.pointee.life.load(ordering: .acquiring) }

  /// Sets the life word of a cell that no other thread can reach.
  @inline(__always)
  func setLife(_ life: UInt64) { unsafe cell.pointee.life.store(life, ordering: .relaxed) }

  /// Takes another reference; false if there are too many already.
  package func retain() -> Bool {
    guard life & Life.referencesMask < Life.referenceLimit else { return false }
    retainUnchecked()
    return true
  }

  /// Takes references without checking the limit. Call for so few that the head room of the count suffices.
  @inline(__always)
  func retainUnchecked(_ count: UInt64 = 1) { unsafe cell.pointee.life.wrappingAdd(count, ordering: .relaxed) }

  /// Marks the cell as weakly referenced, or, for a promise, makes its releases check whether it is abandoned.
  func watch() { unsafe cell.pointee.life.bitwiseOr(Life.weak, ordering: .releasing) }

  /// Takes a reference if the life word satisfies `isMeant`; false if it does not, or the last reference was released.
  @inline(__always)
  func retain(while isMeant: (_ life: UInt64) -> Bool) -> Bool {
    var life = self.life
    while isMeant(life) {
      guard 1..<Life.referenceLimit ~= life & Life.referencesMask else { return false }
      let (exchanged, original) = unsafe cell.pointee.life.weakCompareExchange(
        expected: life, desired: life &+ 1, ordering: .acquiring)
      if exchanged { return true }
      life = original
    }
    return false
  }

  /// Releases the last reference to a settled promise that owns nothing but its cell: the usual case, in one pass.
  /// False if this is another case: releaseHandleOfPromise() (SettlerReference.swift) covers them all.
  @inline(__always)
  package func releaseSettledAlone() -> Bool {
    let state = self.state
    // Loaded after the state: until a promise is settled, other threads can take references through its reactions.
    let life = acquiredLife
    guard state.isSettledAlone && life & Life.holdersMask == state.countOfLast else { return false }
    deallocate(life)
    return true
  }

  /// Releases one reference; the last release disposes of the cell.
  @inline(__always)
  package func release() {
    let life = acquiredLife
    let isPromise = life & Life.kindMask == CellKind.promise.rawValue << Life.kindShift
    let holders = life & Life.holdersMask
    // The only reference: usually no other thread can reach the cell, and releasing it takes no atomic operation.
    let isLast = holders == 1 || (holders == 2 && isPromise && state.isOvercounted)
    if isLast && disposeIfUnreachable(life, isPromise: isPromise) { return }
    releaseShared(life)
  }

  /// Releases a reference to a cell that other threads may reach concurrently.
  @inline(never)
  private func releaseShared(_ observed: UInt64) {
    var life = observed
    while true {
      switch life & Life.referencesMask {
      case 1:
        let isPromise = life & Life.kindMask == CellKind.promise.rawValue << Life.kindShift
        guard exchange(&life, for: Life.dying(life)) == .replaced else { continue }
        if isPromise { awaitUnhold() }
        return dispose()
      case 2 where isWatched(life):
        if releaseWatched(&life) == .released { return }
      case 2 where life & Life.kindMask == CellKind.promise.rawValue << Life.kindShift:
        if releaseLastButOne(&life) == .released { return }
      default:
        if exchange(&life, for: life &- 1) == .replaced { return }
      }
    }
  }

  /// Replaces the life word if it equals `life`; otherwise reloads `life`.
  func exchange(_ life: inout UInt64, for desired: UInt64) -> Exchange {
    let (exchanged, original) = unsafe cell.pointee.life.weakCompareExchange(
      expected: life, desired: desired, successOrdering: .sequentiallyConsistent, failureOrdering: .acquiring)
    guard !exchanged else { return .replaced }
    life = original
    return .reloaded
  }
}
