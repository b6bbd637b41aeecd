import CPlatform
import Synchronization

extension CancelToken {
  /// Asks the promise to cancel when the token is invalidated next, or now if its deadline has come. Keeps neither. False
  /// when memory has run out.
  package func add(_ promise: CellRef) -> Bool {
    guard add(WeakCell(promise), to: .promises) else { return false }
    requestCancelIfOverdue(promise)
    return true
  }

  /// Silences the callbacks registered under the token, then asks its promises to cancel in the order in which they were
  /// added, then does the same with the tokens that are chained to it, the latest first. What the cancelled promises
  /// call finds itself silenced. The token can be used again. False when memory has run out: tokens that are chained to
  /// it, not itself, were left out.
  @discardableResult
  package func invalidate(_ reason: CellValue = .void) -> Bool { cancel(invalidates: true, reason) }

  /// The same without silencing callbacks.
  @discardableResult
  package func cancelWithoutInvalidating(_ reason: CellValue = .void) -> Bool { cancel(invalidates: false, reason) }

  private func cancel(invalidates: Bool, _ reason: CellValue) -> Bool {
    var work = TokenWork()
    let walk = CancelToken.newWalk()
    cancelPromises(invalidates: invalidates, on: walk, pushing: &work, reason)
    while let (token, invalidates) = work.pop() {
      token.cancelPromises(invalidates: invalidates, on: walk, pushing: &work, reason)
      token.ref.release()
    }
    return work.isWhole
  }

  private func cancelPromises(
    invalidates: Bool, on walk: UInt32, pushing work: inout TokenWork, _ reason: CellValue
  ) {
    var children = TokenWork()
    let promises: UInt32 = locked {
      guard isNew(on: walk) else { return 0 }
      becomeCancelled()
      if invalidates { startGeneration() }
      var next = first(of: .tokens)
      while next != 0 {
        let entry = CellRef(index: next)
        next = entry.nextEntry
        let goes = invalidates || entry.entryFlags & CancelToken.onlyInvalidation == 0
        if goes, let child = entry.entry.strong() { children.push(CancelToken(child), invalidates: invalidates) }
      }
      let promises = first(of: .promises)
      setList(of: .promises, 0)
      return promises
    }
    // Pushed one after the other, they would come in the order of chaining; so they are turned round.
    while let (child, invalidates) = children.pop() { work.push(child, invalidates: invalidates) }
    if !children.isWhole { work.isWhole = false }
    var next = Settlement.reversed(promises)
    while next != 0 {
      let entry = CellRef(index: next)
      next = entry.nextEntry
      entry.entry.with { promise in promise.requestCancel(reason) }
      entry.deallocate()
    }
  }

  static var onlyInvalidation: UInt32 { 1 }
}

extension CancelToken {
  /// How chaining a token to another ended.
  package enum Chaining { case chained, cycle, outOfMemory }

  /// From now on the token goes whenever `other` does; without `includingCancel` only when that one is invalidated.
  /// Keeps neither. A token cannot go with itself, directly or by way of others. What goes when the other is cancelled
  /// has a deadline that is no later; without memory for that, it is chained all the same.
  package func chain(to other: CancelToken, includingCancel: Bool) -> Chaining {
    let chaining = enter(in: other, includingCancel: includingCancel)
    // Behind the lock: it starts a timer.
    if chaining == .chained, includingCancel, !inheritDeadline(of: other) { return .outOfMemory }
    return chaining
  }

  private func enter(in other: CancelToken, includingCancel: Bool) -> Chaining {
    platform_lock(Int32(PLATFORM_LOCK_TOKENS))
    defer { platform_unlock(Int32(PLATFORM_LOCK_TOKENS)) }
    if self == other { return .cycle }
    // What never went with any token does not go with this one. So a chain may grow at either end in linear time.
    if other.isChained {
      guard let isCycle = reaches(other) else { return .outOfMemory }
      if isCycle { return .cycle }
    }
    guard other.add(WeakCell(ref), flags: includingCancel ? 0 : CancelToken.onlyInvalidation, to: .tokens)
    else { return .outOfMemory }
    becomeChained()
    return .chained
  }

  /// Whether `other` is this token or goes with it; nil when memory has run out. The caller has the lock under which tokens
  /// are chained.
  private func reaches(_ other: CancelToken) -> Bool? {
    var work = TokenWork()
    guard ref.retain() else { return nil }
    let walk = CancelToken.newWalk()
    work.push(self, invalidates: true)
    var found = false
    while let (token, _) = work.pop() {
      if token == other { found = true }
      if !found {
        token.locked {
          guard token.isNew(on: walk) else { return }
          var next = token.first(of: .tokens)
          while next != 0 {
            let entry = CellRef(index: next)
            next = entry.nextEntry
            if let child = entry.entry.strong() { work.push(CancelToken(child), invalidates: true) }
          }
        }
      }
      token.ref.release()
    }
    return found || work.isWhole ? found : nil
  }
}

// A walk from a token to those that go with it comes to each once, though there may be many ways to it. Where two walks
// meet on different threads, a token may be taken for new again; nothing is asked twice for that.
extension CancelToken {
  /// A number for a walk: an odd one, for a new token has 0.
  static func newWalk() -> UInt32 {
    UInt32(truncatingIfNeeded: walks.wrappingAdd(2, ordering: .relaxed).newValue)
  }

  /// Notes that the walk has come by; false if it had before. The token is locked.
  func isNew(on walk: UInt32) -> Bool {
    guard ref.firstHalf != walk else { return false }
    ref.firstHalf = walk
    return true
  }
}

private let walks = Atomic<UInt64>(1)

/// Tokens that are still to be done, each with a reference; the last one pushed is the first. No recursion, however long
/// the chain.
struct TokenWork {
  private var first: UInt32 = 0
  /// Whether there was memory for each.
  var isWhole = true

  /// Takes over a reference to the token. Without memory, the token is left out.
  mutating func push(_ token: CancelToken, invalidates: Bool) {
    guard let entry = CellRef.allocate(.entry) else {
      isWhole = false
      return token.ref.release()
    }
    unsafe entry.cell.pointee.value = CellValue(
      kind: ValueKind(rawValue: invalidates ? 1 : 0), bits: UInt64(token.ref.index))
    unsafe entry.cell.pointee.next = first
    first = entry.index
  }

  mutating func pop() -> (CancelToken, invalidates: Bool)? {
    guard first != 0 else { return nil }
    let entry = CellRef(index: first)
    let value = unsafe entry.cell.pointee.value
    first = entry.nextEntry
    entry.deallocate()
    return (CancelToken(CellRef(index: UInt32(truncatingIfNeeded: value.bits))), value.kind == 1)
  }
}
