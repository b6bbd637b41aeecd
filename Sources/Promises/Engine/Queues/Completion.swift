import CPlatform
import Synchronization

/// An event of a completion queue, from its registration until it is taken.
///
///                state                          value     next       function        context   free
///   completion   promise | flags, place, kind   the       the next   neighbours in   the tag   the queue, the
///                                               outcome   ready      the table                 previous ready
///
///   [ idle ] --(attached)--> [ waiting ] --(source settles)--> [ ready ] --(take)--> [ taken ]
///                                 |                               |
///                                 +--(unwatched, queue closed)----+--> [ revoked ]
///
/// A CALL or CANCEL whose promise is settled without the event becomes obsolete: it is made ready, or stays so, and is
/// taken as an OBSOLETE.
///
/// `state`, both pairs of neighbours and the ready events are guarded by the queue's lock. While the event is idle or
/// waiting, the reaction in `promise` owns the cell (its `context`); while it is ready, the queue does; then the taker.
/// A ready CALL also has a reference to its promise.
///
/// The life word is marked as weakly referenced when the event is made: the promise of a ready CALL refers to it by
/// token.
package struct Completion: Equatable {
  package let ref: CellRef
  init(_ ref: CellRef) { self.ref = ref }
  package init(index: UInt32) { ref = CellRef(index: index) }

  /// The numbers of `PROMISE_EVENT_*`.
  package struct Kind: Equatable {
    package let rawValue: UInt8
    package static var settled: Kind { Kind(rawValue: 32) }
    package static var call: Kind { Kind(rawValue: 33) }
    package static var cancel: Kind { Kind(rawValue: 34) }
    package static var freed: Kind { Kind(rawValue: 35) }
    /// Never stored: the kind that is reported for an event whose source was destroyed while pending.
    package static var dropped: Kind { Kind(rawValue: 36) }
    /// Stored in place of `call` or `cancel` when the event becomes obsolete.
    static var obsolete: Kind { Kind(rawValue: 37) }
  }

  enum Place: UInt64 { case idle, waiting, ready, taken, revoked }

  // Fields of `state`.
  private static var kindMask: UInt64 { 0xff }
  private static var placeShift: UInt64 { 8 }
  private static var placeMask: UInt64 { 0xff << 8 }
  private static var stateShift: UInt64 { 16 }
  private static var stateMask: UInt64 { 0xff << 16 }
  private static var listed: UInt64 { 1 << 24 }
  private static var promiseShift: UInt64 { 32 }
  private static var promiseMask: UInt64 { 0xffff_ffff << 32 }

  /// Makes an idle event with one reference, which retains the queue; nil when memory has run out.
  static func make(_ kind: Kind, tag: UInt64, for queue: CompletionQueue) -> Completion? {
    guard queue.ref.retain() else { return nil }
    guard let ref = CellRef.allocate(.other, references: Life.weak | 1) else {
      queue.ref.release()
      return nil
    }
    ref.meta = CellSubkind.completion.rawValue
    let event = Completion(ref)
    event.word = UInt64(kind.rawValue)
    unsafe event.store(tag, at: 48)
    unsafe event.store(queue.ref.index, at: 56)
    return event
  }

  /// Releases the queue when the event is disposed of.
  func free() { queue.ref.release() }

  package var tag: UInt64 { unsafe UnsafeRawPointer(ref.cell).load(fromByteOffset: 48, as: UInt64.self) }
  var queue: CompletionQueue { CompletionQueue(CellRef(index: half(at: 56))) }

  /// The kind of event that the caller asked for, or `obsolete`.
  var kind: Kind {
    get { Kind(rawValue: UInt8(truncatingIfNeeded: word)) }
    nonmutating set { word = word & ~Completion.kindMask | UInt64(newValue.rawValue) }
  }
  /// The kind of event that the taker receives.
  package var reportedKind: Kind { isDropped ? .dropped : kind }
  /// Whether the source was destroyed while pending.
  var isDropped: Bool { outcomeState == Completion.pending }

  /// The numbers of `promise_state_t`.
  static var pending: Int32 { 1 }
  static func state(_ outcome: Outcome) -> Int32 { outcome.isRejected ? 3 : 2 }

  var place: Place {
    get { unsafe Place(rawValue: (word & Completion.placeMask) >> Completion.placeShift).unsafelyUnwrapped }
    nonmutating set { word = word & ~Completion.placeMask | newValue.rawValue << Completion.placeShift }
  }

  /// Whether the event is in the queue's table.
  var isListed: Bool {
    get { word & Completion.listed != 0 }
    nonmutating set { word = word & ~Completion.listed | (newValue ? Completion.listed : 0) }
  }

  /// The number of a `promise_state_t`; 0 for an event without an outcome.
  package var outcomeState: Int32 {
    get { Int32(truncatingIfNeeded: (word & Completion.stateMask) >> Completion.stateShift) }
    nonmutating set { word = word & ~Completion.stateMask | UInt64(newValue) << Completion.stateShift }
  }

  /// The waiting reaction, or the promise to settle; nil if there is none.
  package var promise: CellRef? {
    get {
      let index = UInt32(truncatingIfNeeded: word >> Completion.promiseShift)
      return index == 0 ? nil : CellRef(index: index)
    }
    nonmutating set {
      word = word & ~Completion.promiseMask | UInt64(newValue?.index ?? 0) << Completion.promiseShift
    }
  }

  /// The outcome; the event has a reference to it.
  package var value: CellValue {
    get { ref.value }
    nonmutating set { ref.value = newValue }
  }

  /// The neighbours among the ready events, by index; 0: none.
  package var next: UInt32 {
    get { ref.next }
    nonmutating set { ref.next = newValue }
  }
  var previous: UInt32 {
    get { half(at: 60) }
    nonmutating set { unsafe store(newValue, at: 60) }
  }

  /// The neighbours in a chain of the table, by index; 0: none.
  var following: UInt32 {
    get { half(at: 40) }
    nonmutating set { unsafe store(newValue, at: 40) }
  }
  var preceding: UInt32 {
    get { half(at: 44) }
    nonmutating set { unsafe store(newValue, at: 44) }
  }

  private var word: UInt64 {
    get { unsafe ref.cell.pointee.state.load(ordering: .relaxed) }
    nonmutating set { unsafe ref.cell.pointee.state.store(newValue, ordering: .relaxed) }
  }

  private func half(at offset: Int) -> UInt32 {
    unsafe UnsafeRawPointer(ref.cell).load(fromByteOffset: offset, as: UInt32.self)
  }

  @unsafe
  private func store<Word: BitwiseCopyable>(_ word: Word, at offset: Int) {
    unsafe UnsafeMutableRawPointer(ref.cell).storeBytes(of: word, toByteOffset: offset, as: Word.self)
  }
}
