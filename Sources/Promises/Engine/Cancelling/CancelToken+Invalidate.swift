import CPlatform
import Synchronization

extension CancelToken {
  /// The result of cancelling a token and the tokens chained to it.
  package enum Cancelling {
    case complete
    /// Memory has run out: some of the chained tokens were skipped, but not this one.
    case outOfMemory
  }

  /// Requests cancellation of the promise when the token is invalidated or cancelled next, or now if its deadline has
  /// passed. Neither the token nor the promise retains the other. False when memory has run out.
  package func add(_ promise: CellRef) -> Bool {
    guard add(WeakCell(promise), to: .promises) else { return false }
    requestCancelIfOverdue(promise)
    return true
  }

  /// Silences the callbacks registered under the token, then requests cancellation of its promises in the order in
  /// which they were added, then does the same for the tokens chained to it, the latest first. Callbacks of the
  /// cancelled promises are silenced already. The token can be used again.
  package func invalidate(_ reason: CellValue = .void) -> Cancelling { cancel(invalidates: true, reason) }

  /// Cancels as invalidate() does, without silencing callbacks.
  package func cancelWithoutInvalidating(_ reason: CellValue = .void) -> Cancelling {
    cancel(invalidates: false, reason)
  }

  private func cancel(invalidates: Bool, _ reason: CellValue) -> Cancelling {
    var work = TokenStack()
    let walk = CancelToken.newWalk()
    cancelPromises(invalidates: invalidates, on: walk, isFirst: true, pushing: &work, reason)
    while let (token, invalidates) = work.pop() {
      token.cancelPromises(invalidates: invalidates, on: walk, pushing: &work, reason)
      token.ref.release()
    }
    return work.isComplete ? .complete : .outOfMemory
  }

  private func cancelPromises(
    invalidates: Bool, on walk: UInt32, isFirst: Bool = false, pushing work: inout TokenStack, _ reason: CellValue
  ) {
    var children = TokenStack()
    let promises: UInt32 = locked {
      // No path leads back to the first token. Its number may be that of this walk nonetheless: numbers repeat.
      guard isFirst || visit(on: walk) == .first else { return 0 }
      becomeCancelled()
      if invalidates { startGeneration() }
      var next = first(of: .tokens)
      while next != 0 {
        let entry = TokenEntry(CellRef(index: next))
        next = entry.next
        let propagates = invalidates || entry.flags & CancelToken.onlyInvalidation == 0
        if propagates, let child = entry.weak.strong() { children.push(CancelToken(child), invalidates: invalidates) }
      }
      let promises = first(of: .promises)
      setList(of: .promises, 0)
      return promises
    }
    // The stack reverses the order: pushed directly, the children would be visited in the order of chaining.
    while let (child, invalidates) = children.pop() { work.push(child, invalidates: invalidates) }
    if !children.isComplete { work.isComplete = false }
    var next = Settlement.reversed(promises)
    while next != 0 {
      let entry = TokenEntry(CellRef(index: next))
      next = entry.next
      entry.weak.with { promise in promise.requestCancel(reason) }
      entry.ref.deallocate()
    }
  }

  static var onlyInvalidation: UInt32 { 1 }
}

extension CancelToken {
  /// The result of chaining a token to another.
  package enum Chaining { case chained, cycle, outOfMemory }

  /// Chains the token to `other`: it is invalidated whenever `other` is, and with `includingCancel` cancelled whenever
  /// `other` is. Neither token retains the other. A cycle is rejected. With `includingCancel` the token's deadline
  /// becomes no later than that of `other`; when memory for that has run out, the token stays chained nonetheless.
  package func chain(to other: CancelToken, includingCancel: Bool) -> Chaining {
    let chaining = enter(in: other, includingCancel: includingCancel)
    // Outside the lock: it starts a timer.
    if chaining == .chained, includingCancel, !inheritDeadline(of: other) { return .outOfMemory }
    return chaining
  }

  private func enter(in other: CancelToken, includingCancel: Bool) -> Chaining {
    platform_lock(Int32(PLATFORM_LOCK_TOKENS))
    defer { platform_unlock(Int32(PLATFORM_LOCK_TOKENS)) }
    if self == other { return .cycle }
    // A token that was never chained to another is not downstream of this one. So a chain is built in linear time from
    // either end.
    if other.isChained {
      guard let isCycle = reaches(other) else { return .outOfMemory }
      if isCycle { return .cycle }
    }
    guard other.add(WeakCell(ref), flags: includingCancel ? 0 : CancelToken.onlyInvalidation, to: .tokens)
    else { return .outOfMemory }
    becomeChained()
    return .chained
  }

  /// Whether `other` is this token or is chained to it, directly or indirectly; nil when memory has run out. Call with
  /// PLATFORM_LOCK_TOKENS held.
  private func reaches(_ other: CancelToken) -> Bool? {
    var work = TokenStack()
    guard ref.retain() else { return nil }
    let walk = CancelToken.newWalk()
    work.push(self, invalidates: true)
    var found = false
    while let (token, _) = work.pop() {
      if token == other { found = true }
      if !found {
        token.locked {
          guard token.visit(on: walk) == .first else { return }
          var next = token.first(of: .tokens)
          while next != 0 {
            let entry = TokenEntry(CellRef(index: next))
            next = entry.next
            if let child = entry.weak.strong() { work.push(CancelToken(child), invalidates: true) }
          }
        }
      }
      token.ref.release()
    }
    return found || work.isComplete ? found : nil
  }
}

// A walk downstream from a token visits each token once, even if several paths lead to it. When walks on two threads
// interleave, a token may be visited twice; its promises still get one request each.
extension CancelToken {
  /// Returns the number of a new walk: an odd one, because a new token has 0.
  static func newWalk() -> UInt32 {
    UInt32(truncatingIfNeeded: walks.wrappingAdd(2, ordering: .relaxed).newValue)
  }

  /// The result of a visit.
  enum Visit { case first, again }

  /// Marks the token as visited by the walk. Call with the token locked.
  func visit(on walk: UInt32) -> Visit {
    guard ref.firstHalf != walk else { return .again }
    ref.firstHalf = walk
    return .first
  }
}

private let walks = Atomic<UInt64>(1)

/// A stack of tokens to visit, each with a reference. It avoids recursion, however long the chain.
struct TokenStack {
  private var first: UInt32 = 0
  /// Whether there was memory for every entry.
  var isComplete = true

  /// Takes ownership of a reference to the token. When memory has run out, the token is skipped.
  mutating func push(_ token: CancelToken, invalidates: Bool) {
    guard let entry = TokenEntry(UInt64(token.ref.index), flags: invalidates ? 1 : 0) else {
      isComplete = false
      return token.ref.release()
    }
    entry.next = first
    first = entry.ref.index
  }

  mutating func pop() -> (CancelToken, invalidates: Bool)? {
    guard first != 0 else { return nil }
    let entry = TokenEntry(CellRef(index: first))
    let (bits, flags) = (entry.bits, entry.flags)
    first = entry.next
    entry.ref.deallocate()
    return (CancelToken(CellRef(index: UInt32(truncatingIfNeeded: bits))), flags == 1)
  }
}
