/// One run of a program about promises that follow others (clauses 3.1.3.3 and 2.2).
///
/// `first` and `second` are derived from promises that threads resolve; the handler of each returns another promise. An
/// observer of each records the outcome.
final class FollowingTrial: Explorable {
  enum Program {
    /// `first` follows `inner`, which another thread resolves.
    case inner
    /// `first` follows `inner`, while a third thread settles `first` itself.
    case overtaken
    /// `first` follows `inner`, while a third thread releases the last reference to `inner`, which stays pending.
    case abandoned
    /// `first` and `second` follow each other.
    case crossed
    /// `first` is chained after two promises that two threads resolve.
    case chained
    /// `first` has a handler that returns a value, while another thread settles `first` itself.
    case settledTwice
    /// Two threads make `first` and `second`, which have discard blocks, follow each other.
    case crossedWithBlocks
    /// `first`, which has a discard block, is made to follow `inner`, while another thread resolves both.
    case overtakenWithBlock
    /// `first` is made to follow `second`, while another thread resolves `inner`, which `second` follows, and recycles
    /// its cell for a promise that follows `first`.
    case recycled
  }

  static var shortPrograms: [Program] { [.inner, .settledTwice, .crossedWithBlocks, .overtakenWithBlock, .recycled] }
  static var programs: [Program] { [.inner, .overtaken, .abandoned, .crossed, .chained] }

  private let program: Program
  private let sources = [CellRef.promise()!, CellRef.promise()!]
  private let inner = CellRef.promise()!
  private var derived: [CellRef] = []
  /// The values passed to the observers of `first` and `second`.
  fileprivate var outcomes: [[Outcome]] = [[], []]
  private(set) var states: [Bool] = []
  /// Whether `first` was pending after the return of a call that settled it or found it settled.
  private var wasLate = false
  /// Whether a call rejected the cycle.
  private var isRefused = false
  /// The promise in the recycled cell.
  private var recycled: CellRef?

  fileprivate struct Outcome: Equatable {
    var kind: UInt32
    var bits: UInt64
    var isRejected: Bool
  }

  init(_ program: Program) {
    self.program = program
    switch program {
    case .inner, .overtaken, .abandoned:
      _ = inner.retain()
      derived = [following(sources[0]) { self.inner }]
    case .crossed:
      derived = [following(sources[0]) { self.derived[1] }, following(sources[1]) { self.derived[0] }]
      for promise in derived { _ = promise.retain() }
    case .chained:
      derived = [CellRef.promise()!]
      for source in sources { _ = derived[0].chain(after: source) }
    case .settledTwice:
      derived = [
        sources[0].react { _, _, out in
          out = CellValue(kind: .u64, bits: 2)
          return .fulfill
        }!
      ]
    case .crossedWithBlocks:
      derived = (0..<2).map { _ in unsafe CellRef.discardable(nil, Context(nil, nil))! }
    case .overtakenWithBlock: derived = [unsafe CellRef.discardable(nil, Context(nil, nil))!]
    case .recycled:
      derived = [CellRef.promise()!, CellRef.promise()!]
      _ = derived[1].follow(inner)
    }
    // Not for crossed promises: each is the other's callback, and more would add too many schedules.
    if program != .crossed { for (index, promise) in derived.enumerated() { observe(promise, index) } }
  }

  /// Derives a promise whose handler returns `other()`, and with it the reference that was kept for the handler.
  private func following(_ source: CellRef, _ other: @escaping () -> CellRef) -> CellRef {
    source.react { _, _, out in
      out = CellValue(kind: .promise, bits: other().token.bits)
      return .adopt
    }!
  }

  private func observe(_ promise: CellRef, _ index: Int) {
    _ = promise.react(returnsPromise: false) { [unowned self] isRejected, value, _ in
      self.outcomes[index].append(Outcome(kind: value.kind, bits: value.bits, isRejected: isRejected))
      return .leave
    }
  }

  private func resolve(_ promise: CellRef, _ number: UInt64) {
    _ = promise.settle(CellValue(kind: .u64, bits: number), .fulfilled)
  }

  var bodies: [() -> Void] {
    let begin = { self.resolve(self.sources[0], 1) }
    switch program {
    case .inner: return [begin, { self.resolve(self.inner, 2) }]
    case .overtaken: return [begin, { self.resolve(self.inner, 2) }, { self.resolve(self.derived[0], 3) }]
    case .abandoned: return [begin, { self.inner.release() }]
    case .crossed, .chained: return [begin, { self.resolve(self.sources[1], 2) }]
    case .settledTwice:
      return [self.sources[0], self.derived[0]].map { promise in
        {
          self.resolve(promise, 3)
          // Read in the same step: no thread switch in between.
          Scheduler.locks += 1
          if !self.derived[0].state.isSettled { self.wasLate = true }
          Scheduler.locks -= 1
        }
      }
    case .crossedWithBlocks:
      return [0, 1].map { index in
        {
          if self.derived[index].follow(self.derived[1 - index]) == .cycle { self.isRefused = true }
        }
      }
    case .overtakenWithBlock:
      return [
        { _ = self.derived[0].follow(self.inner) },
        {
          self.resolve(self.derived[0], 3)
          self.resolve(self.inner, 2)
        },
      ]
    case .recycled:
      return [
        { if self.derived[0].follow(self.derived[1]) == .cycle { self.isRefused = true } },
        {
          self.resolve(self.inner, 2)
          self.inner.release()
          let other = CellRef.promise()!
          _ = other.follow(self.derived[0])
          self.recycled = other
        },
      ]
    }
  }

  func end() {
    states = derived.map(\.state.isSettled)
    if program == .crossed {
      for (index, promise) in derived.enumerated() where states[index] {
        let value = unsafe promise.cell.pointee.value
        outcomes[index].append(Outcome(kind: value.kind, bits: 0, isRejected: promise.state.isRejected))
      }
    }
    // Breaks the cycle of references.
    if program == .crossedWithBlocks && !isRefused && !states.contains(true) { _ = derived[0].discard() }
    for promise in derived { promise.release() }
    for source in sources { source.release() }
    if program != .abandoned && program != .recycled { inner.release() }
    recycled?.release()
    recycled = nil
    derived = []
  }

  func violations() -> [String] {
    var wrong = wasLate ? ["a call returned before the outcome was published"] : []
    if program == .crossedWithBlocks { return isRefused || states.contains(true) ? [] : ["the circle was not found"] }
    if isRefused { wrong.append("a chain was taken for a circle") }
    for index in states.indices {
      let outcomes = outcomes[index]
      if outcomes.count > 1 { wrong.append("promise \(index) called back \(outcomes.count) times") }
      if states[index] != (outcomes.count == 1) { wrong.append("promise \(index) is settled: \(states[index])") }
      if !outcomes.allSatisfy(isAllowed) { wrong.append("promise \(index) ended with \(outcomes)") }
      if program != .abandoned && !states[index] { wrong.append("promise \(index) waits for ever") }
    }
    return wrong
  }

  private func isAllowed(_ outcome: Outcome) -> Bool {
    let value = outcome.kind == ValueKind.u64.rawValue && !outcome.isRejected ? outcome.bits : nil
    switch program {
    case .inner, .recycled: return value == 2
    case .overtaken, .overtakenWithBlock: return value == 2 || value == 3
    case .abandoned: return false
    case .crossed: return outcome.isRejected && outcome.kind == ValueKind.error.rawValue
    case .chained: return value == 1 || value == 2
    case .settledTwice: return value == 2 || value == 3
    case .crossedWithBlocks: return true
    }
  }
}
