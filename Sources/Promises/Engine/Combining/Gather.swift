import CPlatform
import Synchronization

/// Makes one promise, the result, of several others, the inputs.
///
///            state                     value       meta      next         function      context, free
///   gather   unsettled | mode, flags   the count   subkind   the result   the entries   the closure that combines
///
/// Each input has an entry: a reaction of the kind `input` in the input's list, whose `context` is the gather. The
/// gather owns the array of entries, each with the reaction and the outcome of its input. The gather has the settler's
/// reference to the result, until the result is settled; the result's cancel-request handler has a reference to the
/// gather.
///
/// The first entry that decides claims the decision, and later outcomes are ignored. If no entry decides, the last one
/// to settle combines all outcomes.
package struct Gather {
  package let ref: CellRef
  init(_ ref: CellRef) { self.ref = ref }

  /// The inputs that decide the result.
  package enum Mode: UInt64 {
    /// The first one that is rejected; otherwise all.
    case all
    /// All inputs.
    case allSettled
    /// The first one that is fulfilled; otherwise all.
    case any
    /// The first one that is fulfilled or rejected, but not cancelled; otherwise all.
    case first
    /// The first one that is settled.
    case race
  }

  /// The outcome of an input. The kind of `value` is 0 while the input is pending, or if it was destroyed while
  /// pending.
  package struct Entry {
    let reaction: CellRef
    package var value: CellValue
    package var isRejected: Bool
    /// The index of the input's cell, while the entries are attached.
    fileprivate let input: UInt32
  }

  /// Computes the outcome of the result when no single input decides. Receives the entries in the order of the inputs,
  /// and the index of the last one to settle; stores an owned value in `out`.
  package typealias Combine =
    (_ entries: UnsafeBufferPointer<Entry>, _ last: Int, _ out: inout CellValue) -> Outcome

  private static var decided: UInt64 { 8 }
  private static var cancelsOthers: UInt64 { 16 }
  /// An input was destroyed while pending.
  private static var lost: UInt64 { 32 }
  private static var modeMask: UInt64 { 7 }
  static var unsettled: UInt64 { 1 << 6 }

  private var word: UInt64 { unsafe ref.cell.pointee.state.load(ordering: .acquiring) }
  var isDecided: Bool { word & Gather.decided != 0 }
  var cancelsOthers: Bool { word & Gather.cancelsOthers != 0 }
  var isLost: Bool { word & Gather.lost != 0 }
  /// Whether an input is pending.
  var isWaiting: Bool { word >= Gather.unsettled }

  /// Claims the decision. The winner gets the reference to the result.
  func decide() -> Claim { set(Gather.decided) & Gather.decided == 0 ? .won : .lost }

  func lose() { _ = set(Gather.lost) }

  private func set(_ flag: UInt64) -> UInt64 {
    unsafe ref.cell.pointee.state.bitwiseOr(flag, ordering: .acquiringAndReleasing).oldValue
  }

  /// The result of counting a settled input.
  enum Count { case last, othersLeft }

  /// Counts one more settled input.
  func countDown() -> Count {
    unsafe ref.cell.pointee.state.wrappingSubtract(Gather.unsettled, ordering: .acquiringAndReleasing).newValue
      < Gather.unsettled ? .last : .othersLeft
  }

  var mode: Mode {
    unsafe Mode(rawValue: word & Gather.modeMask).unsafelyUnwrapped
  }
  var result: CellRef { CellRef(index: ref.next) }
  private(set) var count: Int {
    get { Int(ref.value.bits) }
    nonmutating set { unsafe ref.cell.pointee.value.bits = UInt64(newValue) }
  }
  var entries: UnsafeMutablePointer<Entry> {
    unsafe ref.function.unsafelyUnwrapped.assumingMemoryBound(to: Entry.self)
  }
  /// The combining closure, stored in `context` and `free`.
  var combine: UnsafeMutablePointer<StoredCombine> {
    unsafe (UnsafeMutableRawPointer(ref.cell) + Cell.contextOffset).assumingMemoryBound(to: StoredCombine.self)
  }
}

extension CellRef {
  /// The index of this reaction's input, stored beside the generation of its source (noteGeneration()).
  var inputIndex: Int {
    get { Int(value.bits & 0xffff_ffff) }
    nonmutating set { unsafe cell.pointee.value.bits = value.bits & ~0xffff_ffff | UInt64(newValue) }
  }
}

/// Keeps the calling convention; see `StoredClosure`.
@unsafe
struct StoredCombine {
  let body: Gather.Combine
}

// Construction.
extension Gather {
  /// The number of inputs is below this, because each entry has a reference to the gather.
  package static var inputLimit: Int { Int(Life.referenceLimit) }

  /// Returns a promise of the combined outcome of `count` inputs, with a reference for the caller; nil when memory has
  /// run out. It is settled on return if its outcome is known by then. A cancel request for it propagates to the inputs
  /// as from one derived promise of each. With `cancelsOthers`, the decision of one input requests cancellation of all
  /// the others, regardless of other interest in them. `inputs` is called once for each index, before any user code.
  package static func promise(
    of inputs: (Int) -> CellRef, count: Int, _ mode: Mode, cancelsOthers: Bool = false, combine: @escaping Combine
  ) -> CellRef? {
    guard count < inputLimit, let result = CellRef.promise() else { return nil }
    guard count > 0 else {
      var out = CellValue.void
      let outcome = unsafe combine(UnsafeBufferPointer(start: nil, count: 0), -1, &out)
      _ = result.settle(out, outcome)
      return result
    }
    let (size, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Entry>.stride)
    guard !overflow, let memory = unsafe malloc(size) else { return abandoned(result) }
    guard let ref = CellRef.allocate(.gather) else {
      unsafe platform_free(memory)
      return abandoned(result)
    }
    let flags = mode.rawValue | (cancelsOthers ? Gather.cancelsOthers : 0)
    unsafe ref.cell.pointee.state.store(UInt64(count) * unsettled | flags, ordering: .relaxed)
    ref.next = result.index
    unsafe ref.function = unsafe memory
    let gather = Gather(ref)
    gather.count = 0
    unsafe gather.combine.initialize(to: StoredCombine(body: combine))
    _ = result.retain()
    result.keepForSettler()
    if gather.makeEntries(inputs, count) {
      gather.attach()
      return result
    }
    ref.release()
    result.release()
    return abandoned(result)
  }

  private static func abandoned(_ result: CellRef) -> CellRef? {
    result.release()
    return nil
  }

  /// Makes the entries, and the handler of cancel requests. Each reaction has two references, that of the array and
  /// that of the list. Each reaction has a reference to the gather, and so has the handler. False when memory has run
  /// out, or an input has too many references.
  private func makeEntries(_ inputs: (Int) -> CellRef, _ count: Int) -> Bool {
    for index in 0..<count {
      let input = inputs(index)
      let context = unsafe Context(UnsafeMutableRawPointer(ref.cell), nil)
      // Inputs that are asked to cancel while the entries are attached may be settled and released by their handlers.
      guard !cancelsOthers || input.retain() else {
        freeEntries(index)
        return false
      }
      guard let reaction = unsafe CellRef.derived(from: input, .input, nil, context) else {
        if cancelsOthers { input.release() }
        freeEntries(index)
        return false
      }
      reaction.inputIndex = index
      let pending = CellValue(kind: ValueKind(rawValue: 0))
      unsafe (entries + index).initialize(
        to: Entry(reaction: reaction, value: pending, isRejected: false, input: input.index))
    }
    self.count = count
    ref.retainUnchecked(UInt64(count) + 1)
    if result.propagateRequests(to: ref) { return true }
    ref.retainUnchecked(0 &- UInt64(count))
    freeEntries(count)
    return false
  }

  /// Frees entries that were not attached.
  private func freeEntries(_ count: Int) {
    releaseInputs(count)
    for index in 0..<count { unsafe entries[index].reaction.deallocate() }
    self.count = 0
  }

  private func releaseInputs(_ count: Int) {
    guard cancelsOthers else { return }
    for index in 0..<count { unsafe CellRef(index: entries[index].input).release() }
  }

  /// Attaches the entries; those of settled inputs run at once. Releases the caller's reference, which keeps the gather
  /// alive meanwhile.
  private func attach() {
    for index in 0..<count { unsafe CellRef(index: entries[index].input).deliver(to: entries[index].reaction) }
    releaseInputs(count)
    ref.release()
  }

  func free() {
    for index in 0..<count {
      unsafe entries[index].value.release()
      unsafe entries[index].reaction.release()
    }
    unsafe combine.deinitialize(count: 1)
    unsafe platform_free(ref.function)
  }
}
