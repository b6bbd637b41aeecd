import CPlatform
import Synchronization

/// A token that cancels many promises, and silences callbacks, at once (`promise_token_t`).
///
///           state                          value                           next            function     context
///   token   generation | handles | flags   bits: the deadline, box: its    the timer's     the lists: adds until the
///                                          timer (CancelToken+Deadline),   executor        next sweep | first entry
///                                          kind: the last walk
///
/// A token has a generation. `invalidate` starts a new one, and a callback registered under an older one is silenced.
/// Handles are counted apart from references, because guards (TokenGuard.swift) have references, too: a registered
/// callback does not keep its token from being dropped, and dropping the token may invalidate it.
///
/// The entries of the two lists are weak references: to promises to cancel, and to tokens chained to this one. The
/// lists are changed under the lock; no user code runs meanwhile.
package struct CancelToken: Equatable {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  private static var generationShift: UInt64 { 32 }
  /// Dropping the last handle invalidates the token.
  private static var automatic: UInt64 { 1 }
  private static var locked: UInt64 { 2 }
  /// The token is or was chained to another. Never cleared.
  private static var chained: UInt64 { 4 }
  /// The token was cancelled or invalidated. Never cleared.
  private static var cancelled: UInt64 { 8 }

  /// Makes a token with one handle; nil when memory has run out.
  package static func make(invalidatesWhenDropped: Bool) -> CancelToken? {
    guard let ref = CellRef.allocate(.cancelToken) else { return nil }
    ref.startHandles(invalidatesWhenDropped ? automatic : 0)
    let token = CancelToken(ref)
    token.setList(of: .promises, 0)
    token.setList(of: .tokens, 0)
    ref.value = CellValue(kind: ValueKind(rawValue: 0))
    token.clearDeadline()
    return token
  }

  private var word: UInt64 { unsafe ref.cell.pointee.state.load(ordering: .acquiring) }

  /// Sets a flag, and returns the state from before.
  private func set(_ flag: UInt64) -> UInt64 {
    unsafe ref.cell.pointee.state.bitwiseOr(flag, ordering: .acquiringAndReleasing).oldValue
  }

  /// Takes another handle.
  package func retainHandle() -> HandleRetain { ref.retainHandle() }

  /// Releases a handle. The last one drops the token.
  package func releaseHandle() {
    guard ref.releaseHandle() == .last else { return }
    dropDeadline()
    if word & CancelToken.automatic != 0 { _ = invalidate() }
    ref.release()
  }

  /// Whether a handle exists.
  package var hasHandles: Bool { ref.hasHandles }

  /// Changes with every invalidation.
  package var generation: UInt32 {
    UInt32(truncatingIfNeeded: word >> CancelToken.generationShift)
  }

  /// Whether the token was ever chained to another. Call with PLATFORM_LOCK_TOKENS held.
  var isChained: Bool { word & CancelToken.chained != 0 }

  func becomeChained() { _ = set(CancelToken.chained) }

  /// Whether the token was cancelled or invalidated, or its deadline has passed, at least once.
  package var isCancelled: Bool {
    if word & CancelToken.cancelled != 0 { return true }
    let deadline = self.deadline
    return deadline != .max && deadline <= platform_now()
  }

  func becomeCancelled() { _ = set(CancelToken.cancelled) }

  func startGeneration() {
    unsafe ref.cell.pointee.state.wrappingAdd(1 << CancelToken.generationShift, ordering: .acquiringAndReleasing)
  }

  /// Runs `body` with exclusive access to the lists.
  func locked<R>(_ body: () -> R) -> R {
    while set(CancelToken.locked) & CancelToken.locked != 0 { platform_yield() }
    defer { unlock() }
    return body()
  }

  /// Releases the lock of locked().
  func unlock() { unsafe ref.cell.pointee.state.bitwiseAnd(~CancelToken.locked, ordering: .releasing) }

  /// Frees the entries of a token that is disposed of. The deadline was removed with the last handle.
  func free() {
    freeList(of: .promises)
    freeList(of: .tokens)
  }
}
