import CPlatform
import Synchronization

/// The write side of a stream: it publishes events to its subscribers until it ends.
///
///               state                                 value.bits, function                    context
///   publisher   how many are full | handles | flags   Operators/CellPublisher+Derived.swift   its State, and its lock
///
///   [ open ] --(finish, fail, cancel, or the release of the last handle)--> [ ended ]
///
/// The lock orders all operations: publishing, subscribing, the end. While it is held, an event is only enqueued to
/// each subscriber; callbacks run after its release. So a subscriber gets exactly the events published after it
/// subscribed, and all subscribers get them in the same order.
///
/// The list of subscribers is weak: a subscriber unlinks itself before it is destroyed. A subscriber has a reference to
/// the publisher's cell, which is not a handle.
///
/// Lock order: while a publisher's lock is held, the lock of one of its subscribers, or of a subscriber to one of its
/// inner streams, may be taken; never the other way round, and never the locks of two publishers.
package struct CellPublisher: Equatable {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  @safe
  struct State {
    /// The subscribers, in the order of subscription, linked through their cells.
    var first: UInt32 = 0
    var last: UInt32 = 0
    var count = 0
    let isStateful: Bool
    /// The event that a new subscriber of a stateful stream gets first.
    var latest: StreamEvent?
    /// Whether the latest value is kept when an error replaces it as the latest event; and that value.
    var keepsValue = false
    var valueBeforeError: CellValue?
    /// The latest events, at most `historyLimit`; if that is not 0, a new subscriber gets these instead of `latest`.
    var history = EventQueue()
    var historyLimit = 0
    var ending: StreamEnding?
    /// The ready promise, while a subscriber is full.
    var ready: CellRef?
    /// The shared state of several sources.
    var join: Join?
    var zip: Zip?
    /// The shared state with the timer of an operator on times.
    var pacing: UnsafeMutablePointer<Pacing>?
    /// The inner streams.
    var flattening: UnsafeMutablePointer<InnerStreams>?
    /// The timer of a publisher of ticks.
    var intervalSource: IntervalSource?
    /// The follower of the promise that it publishes.
    var follower: CellRef?

    init(isStateful: Bool) { self.isStateful = isStateful }
  }

  private static var oneFull: UInt64 { 1 << 32 }
  /// Only an operator publishes to it.
  private static var derived: UInt64 { 1 }

  /// Makes a publisher with one handle; nil when memory has run out.
  package static func make(
    isStateful: Bool, keepsValue: Bool = false, historyLimit: Int = 0
  ) -> CellPublisher? {
    var state = State(isStateful: isStateful)
    state.keepsValue = keepsValue
    state.historyLimit = historyLimit
    return make(state, isDerived: false)
  }

  static func make(_ state: State, isDerived: Bool) -> CellPublisher? {
    guard let guarded = unsafe Guarded.make(state, inChild: { _ in }) else { return nil }
    guard let ref = CellRef.allocate(.publisher) else {
      guarded.free()
      return nil
    }
    ref.startHandles(isDerived ? derived : 0)
    let publisher = CellPublisher(ref)
    publisher.sourceCount = 0
    unsafe publisher.sources = nil
    unsafe ref.contextPointer = unsafe guarded.address
    return publisher
  }

  private var guarded: Guarded<State> { unsafe Guarded(address: ref.contextPointer) }

  @inline(__always)
  func locked<Result>(_ body: (inout State) -> Result) -> Result {
    unsafe guarded.locked { unsafe body(&$0.pointee) }
  }

  package func retainHandle() -> HandleRetain { ref.retainHandle() }
  package var hasHandles: Bool { ref.hasHandles }

  /// The subscribers by which it consumes its sources: their number, and an array of their indices.
  var sourceCount: Int {
    get { Int(ref.value.bits) }
    nonmutating set { unsafe ref.cell.pointee.value.bits = UInt64(newValue) }
  }
  var sources: UnsafeMutablePointer<UInt32>? {
    get { unsafe ref.function?.assumingMemoryBound(to: UInt32.self) }
    nonmutating set { unsafe ref.function = UnsafeMutableRawPointer(newValue) }
  }

  /// Whether every subscriber has capacity for one more event.
  package var hasRoom: Bool {
    unsafe Int64(bitPattern: ref.cell.pointee.state.load(ordering: .acquiring)) < Int64(CellPublisher.oneFull)
  }

  /// Counts a subscriber that becomes full, or ceases to be. Call with that subscriber's lock held.
  func countFull(_ isFull: Bool) {
    let one = isFull ? CellPublisher.oneFull : 0 &- CellPublisher.oneFull
    unsafe ref.cell.pointee.state.wrappingAdd(one, ordering: .acquiringAndReleasing)
  }

  /// Whether only an operator publishes to it.
  package var isDerived: Bool {
    unsafe ref.cell.pointee.state.load(ordering: .relaxed) & CellPublisher.derived != 0
  }

  /// Releases a handle. The last one cancels an open stream, unless an operator publishes to it.
  package func releaseHandle() {
    guard ref.releaseHandle() == .last else { return }
    if !isDerived { _ = end(.cancelled) }
    leaveOriginUnlessUsed()
    ref.release()
  }

  /// Stops the timer of a publisher of ticks, and detaches a publisher of a promise from it, if there are neither
  /// handles nor subscribers: without a handle nobody can subscribe.
  func leaveOriginUnlessUsed() {
    guard isDerived, !hasHandles else { return }
    let (intervalSource, follower) = locked { state -> (IntervalSource?, CellRef?) in
      guard state.count == 0 else { return (nil, nil) }
      defer { (state.intervalSource, state.follower) = (nil, nil) }
      return (state.intervalSource, state.follower)
    }
    intervalSource?.release()
    if let follower { leavePromise(follower) }
  }

  /// Frees a publisher that is disposed of: it has no subscribers any more.
  func free() {
    let state = unsafe guarded.state.pointee
    guarded.free()
    freeSources()
    state.join?.free()
    state.zip?.free()
    unsafe CellPublisher.free(state.pacing)
    unsafe CellPublisher.free(state.flattening)
    state.intervalSource?.release()
    state.latest?.value.release()
    state.valueBeforeError?.release()
    state.history.release()
    state.ending?.release()
  }
}

extension CellPublisher.State {
  /// Stores the latest event, and returns the event and the older value that it supersedes.
  mutating func replaceLatest(with event: StreamEvent) -> (StreamEvent?, CellValue?) {
    defer { latest = event }
    guard event.outcome.isRejected else {
      defer { valueBeforeError = nil }
      return (latest, valueBeforeError)
    }
    guard keepsValue, let old = latest, !old.outcome.isRejected else { return (latest, nil) }
    valueBeforeError = old.value
    return (nil, nil)
  }

  /// Takes ownership of a reference to the value. Without memory for an entry, new subscribers miss the event.
  mutating func addToHistory(_ event: StreamEvent, _ garbage: inout EventQueue) {
    guard history.push(event) else { return event.value.release() }
    if history.count > historyLimit, let oldest = history.pop() { garbage.push(oldest) }
  }

  /// Calls `body` for each event that a new subscriber gets first.
  func forEachReplayed(_ body: (StreamEvent) -> Void) {
    if historyLimit > 0 { return history.forEach(body) }
    if let latest { body(latest) }
  }
}

// Properties for inspection.
extension CellPublisher {
  /// The number of subscribers that would receive an event published now.
  package var receiverCount: Int {
    locked { state in
      var count = 0
      each(state) { if $0.acceptsEvents { count += 1 } }
      return count
    }
  }
  /// Whether a subscriber is linked, which may have events to deliver although it accepts none.
  package var hasSubscribers: Bool { locked { $0.count > 0 } }
  var isStateful: Bool { locked { $0.isStateful } }

  /// Whether the stream finished, rather than failing or being cancelled; nil while it is open.
  package var hasFinished: Bool? { locked { $0.ending?.isFinished } }

  /// An event with a reference for the caller, none, or one whose value has too many references already.
  package enum Latest {
    case none, event(StreamEvent), tooManyReferences
  }

  /// The event that a new subscriber would get first.
  package var latest: Latest {
    locked { state in
      guard let latest = state.latest else { return .none }
      return latest.value.retain() ? .event(latest) : .tooManyReferences
    }
  }

  /// The latest value of a stateful stream that `keepsValue`, with a reference for the caller. Errors do not replace
  /// it.
  package var latestValue: CellValue? {
    locked { state in
      let isError = state.latest?.outcome.isRejected ?? true
      guard let value = isError ? state.valueBeforeError : state.latest?.value, value.retain() else { return nil }
      return value
    }
  }
}
