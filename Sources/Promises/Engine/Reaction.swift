import Synchronization

/// A C handler (`promise_handler_t`): takes the context, the value or reason, and the address for its result; returns a
/// verdict.
package typealias Handler =
  @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32

/// A Swift handler: a closure for both outcomes. It is not generic, so the call needs no metadata; generic code is
/// specialized inside the closure at the call site.
@usableFromInline
package typealias Closure = (_ isRejected: Bool, _ value: CellValue, _ out: inout CellValue) -> Verdict

/// A closure as a cell stores it. Without this struct, Swift would store the closure in its most general (reabstracted)
/// form, behind a thunk with an allocation of its own.
package struct StoredClosure {
  let body: Closure
  @inline(__always) package init(_ body: consuming @escaping Closure) { self.body = body }
}

/// A callback that settles nothing.
package typealias Observer = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer) -> Void

/// The decision of a handler for the promise that its reaction settles, in the numbers of `promise_verdict_t`.
@usableFromInline
package struct Verdict: Equatable {
  @usableFromInline package let rawValue: Int32
  @inlinable package init(rawValue: Int32) { self.rawValue = rawValue }
  /// The promise keeps its state. For closures only.
  @inlinable package static var leave: Verdict { Verdict(rawValue: 0) }
  @inlinable package static var fulfill: Verdict { Verdict(rawValue: 16) }
  @inlinable package static var reject: Verdict { Verdict(rawValue: 17) }
  @inlinable package static var adopt: Verdict { Verdict(rawValue: 18) }
  /// The promise gets the outcome of its source. For closures only.
  @inlinable package static var pass: Verdict { Verdict(rawValue: 19) }
  /// An event is released, and settles nothing. For queues and streams.
  @inlinable package static var skip: Verdict { Verdict(rawValue: 20) }
}

/// The kind of a promise's reaction to its source, in the low bits of `meta`.
///
///   31   19 18            17 16   8 7  6 5        4 3    0
///   [  -   | RejectionUse   | flags | -  | Interest | kind ]
///   [ the type of the reasons                       | kind ]   of a `rescue`
struct ReactionKind: Equatable {
  let rawValue: UInt32
  /// No reaction: the promise is settled by calls from outside.
  static var none: ReactionKind { ReactionKind(rawValue: 0) }
  /// `function` is a Handler for fulfilment; a rejection passes through.
  static var then: ReactionKind { ReactionKind(rawValue: 1) }
  /// `function` is a Handler for a rejection of the type in `meta`; everything else passes through.
  static var rescue: ReactionKind { ReactionKind(rawValue: 2) }
  /// `function` and `context` are a Closure.
  static var closure: ReactionKind { ReactionKind(rawValue: 3) }
  /// `function` is an Observer for fulfilment; the bits of `value` are an Observer for rejection. Settles nothing.
  static var observe: ReactionKind { ReactionKind(rawValue: 4) }
  /// The outcome is propagated unchanged.
  static var follow: ReactionKind { ReactionKind(rawValue: 5) }
  /// The outcome is propagated to the promise in `context`, to which the reaction has a reference.
  static var link: ReactionKind { ReactionKind(rawValue: 6) }
  /// `context` is a job (ReactionJob.swift) with the handlers.
  static var job: ReactionKind { ReactionKind(rawValue: 7) }
  /// `function`, `context` and `free` are a StoredCallback.
  static var callback: ReactionKind { ReactionKind(rawValue: 8) }
  /// `function` is called when cancellation of the source is requested (CancelHandler.swift). Settles nothing.
  static var cancelHandler: ReactionKind { ReactionKind(rawValue: 9) }
  /// `context` is a gather (Gather.swift), the bits of `value` are the index of the source among its inputs. Settles
  /// nothing.
  static var input: ReactionKind { ReactionKind(rawValue: 10) }

  /// `function` is called with the context for either outcome, then the outcome is propagated unchanged.
  static var finally: ReactionKind { ReactionKind(rawValue: 11) }
  /// No reaction any more: the promise it would settle is already settled or unwanted (Detach.swift).
  static var detached: ReactionKind { ReactionKind(rawValue: 12) }

  /// `context` is an event of a completion queue (Queues/Completion.swift).
  static var completion: ReactionKind { ReactionKind(rawValue: 13) }
  /// The outcome is propagated after a delay, whose parameters `context` points to (Timers/Delay.swift).
  static var delay: ReactionKind { ReactionKind(rawValue: 14) }

  /// The `meta` of a promise whose source was destroyed while pending: it has no reaction any more.
  static var orphan: UInt32 { none.rawValue | 1 << 8 }
  // Flags of any kind but `rescue`. Bits 10 to 14 and 16 are flags of one kind: those of `CancelHandler`,
  // `CallbackReaction` and `DiscardBlock`.
  /// Not a promise: no handle to it ever exists.
  static var unheld: UInt32 { 1 << 9 }
  /// The settler of a pending promise has a reference (SettlerReference.swift).
  static var kept: UInt32 { 1 << 15 }
  /// The `RejectionUse` of an unheld reaction.
  static var rejectionUse: UInt32 { 3 << 17 }

  static var mask: UInt32 { 15 }
  static var typeShift: UInt32 { 4 }
}

/// The flags in `meta` of a reaction of the kind `job` or `closure`.
enum CallbackReaction {
  /// The handlers of a job run on an executor other than the immediate one.
  static var submitted: UInt32 { 1 << 11 }
  /// The handlers are the library's, and call no user code. If no one can observe the outcome, they need not run
  /// (Abandon.swift).
  static var own: UInt32 { 1 << 13 }
}

/// Whether a reaction that settles nothing handles rejections (Unhandled.swift).
@usableFromInline
package struct RejectionUse: Equatable, Sendable {
  let rawValue: UInt32
  @usableFromInline package static var handled: RejectionUse { RejectionUse(rawValue: 0) }
  @usableFromInline package static var ignored: RejectionUse { RejectionUse(rawValue: 1 << 17) }
  /// Handles some. Its closure is asked: with `CellValue.question` as the place for its result, the closure calls no
  /// user code, and returns `leave` if it handles the reason, else `pass`.
  @usableFromInline package static var chosen: RejectionUse { RejectionUse(rawValue: 2 << 17) }
}

/// The data of a handler: a pointer, and the function that frees it.
@safe
package struct Context {
  package var pointer: UnsafeMutableRawPointer?
  package var free: FreeFunction?
  @inline(__always) package init(_ pointer: UnsafeMutableRawPointer?, _ free: FreeFunction?) {
    unsafe self.pointer = unsafe pointer
    unsafe self.free = unsafe free
  }

  @inline(__always) package func release() {
    if let free = unsafe free { unsafe free(pointer) }
  }
}

/// The reactions of a list, in the order of its links. The next reaction is looked up before the loop body runs,
/// because the body may release the current one or move it to another list.
struct ReactionList: Sequence, IteratorProtocol {
  private var index: UInt32
  @inline(__always) init(_ first: UInt32) { index = first }

  @inline(__always)
  mutating func next() -> CellRef? {
    guard index != 0 else { return nil }
    let reaction = CellRef(index: index)
    index = reaction.next
    return reaction
  }
}

extension CellRef {
  /// The index of the next reaction in the list of the source; 0 in the last one.
  @inline(__always)
  var next: UInt32 {
    get { unsafe cell.pointee.next }
    nonmutating set { unsafe cell.pointee.next = newValue }
  }

  /// The kind of the reaction, its `Interest` or type, and flags.
  @inline(__always)
  var meta: UInt32 {
    get { unsafe cell.pointee.meta }
    nonmutating set { unsafe cell.pointee.meta = newValue }
  }

  @inline(__always)
  var reactionKind: ReactionKind { ReactionKind(rawValue: meta & ReactionKind.mask) }

  /// The type of the reasons that a `rescue` handles.
  @inline(__always)
  var reactionType: UInt32 { meta >> ReactionKind.typeShift }

  /// The handler; its type depends on the kind.
  @inline(__always)
  var function: UnsafeMutableRawPointer? {
    get { unsafe cell.pointee.function }
    nonmutating set { unsafe cell.pointee.function = unsafe newValue }
  }

  /// The second handler of an `observe`.
  var rejectionObserver: Observer? {
    get { unsafe unsafeBitCast(value.pointer, to: Observer?.self) }
    nonmutating set {
      let bits = unsafe UInt(bitPattern: unsafeBitCast(newValue, to: UnsafeMutableRawPointer?.self))
      value = CellValue(kind: .pointer, bits: UInt64(bits))
    }
  }

  @inline(__always)
  var contextPointer: UnsafeMutableRawPointer? {
    get { unsafe cell.pointee.context }
    nonmutating set { unsafe cell.pointee.context = unsafe newValue }
  }

  @inline(__always)
  var contextFree: FreeFunction? {
    get { unsafe cell.pointee.free }
    nonmutating set { unsafe cell.pointee.free = unsafe newValue }
  }

  @inline(__always)
  var reactionContext: Context {
    get { unsafe Context(contextPointer, contextFree) }
    nonmutating set { unsafe (contextPointer, contextFree) = unsafe (newValue.pointer, newValue.free) }
  }

  /// The cell that the context points to: a job, a gather, an event, or the promise that a `link` settles.
  @inline(__always)
  var contextCell: CellRef { unsafe CellRef.from(contextPointer) }

  /// Adds flags to `meta`. Without `|=`, which ThreadSanitizer takes for a change of the cell's first byte: other
  /// threads may read the state there.
  func mark(_ flags: UInt32) {
    let meta = self.meta
    self.meta = meta | flags
  }

  /// Whether this is a promise rather than an unheld reaction to one.
  var isPromise: Bool {
    switch reactionKind {
    case .observe, .cancelHandler, .link, .input: false
    case .rescue: true
    default: meta & ReactionKind.unheld == 0
    }
  }

  /// Whether the handlers of this reaction, a `job` or `closure`, are the library's.
  var isOwn: Bool { meta & CallbackReaction.own != 0 }

  var isOrphan: Bool { meta == ReactionKind.orphan }

  /// Returns a pending promise that is settled only by calls from outside.
  @inline(__always)
  package static func promise() -> CellRef? { newPromise()?.ref }

  /// Makes a promise as promise() does, and returns it with its token.
  @inline(__always)
  package static func newPromise() -> NewCell? {
    guard let new = CellRef.allocateNew(.promise, references: 1) else { return nil }
    new.ref.startState()
    new.ref.meta = ReactionKind.none.rawValue
    if Observation.isOn { new.ref.noteCreation() }
    return new
  }

  /// Returns a pending promise with a reaction to the settlement of `source`. One reference is the caller's, the other
  /// the reaction's. With `references` 1 the cell is an unheld reaction, not a promise.
  @inline(__always)
  static func derived(
    from source: CellRef, _ kind: ReactionKind, type: UInt32 = 0, _ function: UnsafeMutableRawPointer?,
    _ context: Context, interest: Interest = .counted, references: UInt64 = 2
  ) -> CellRef? {
    unsafe newlyDerived(
      from: source, kind, type: type, function, context, interest: interest, references: references)?.ref
  }

  /// Makes a promise as derived() does, and returns it with its token.
  @inline(__always)
  static func newlyDerived(
    from source: CellRef, _ kind: ReactionKind, type: UInt32 = 0, _ function: UnsafeMutableRawPointer?,
    _ context: Context, interest: Interest = .counted, references: UInt64 = 2
  ) -> NewCell? {
    guard let new = CellRef.allocateNew(.promise, references: references) else { return nil }
    let promise = new.ref
    promise.startState(UInt64(source.index) << CellState.sourceShift)
    promise.noteGeneration(of: source)
    promise.meta =
      kind.rawValue | (type | interest.rawValue) << ReactionKind.typeShift | (references == 1 ? ReactionKind.unheld : 0)
    unsafe promise.function = unsafe function
    promise.reactionContext = context
    if Observation.isOn { promise.noteDerivation(from: source) }
    return new
  }
}
