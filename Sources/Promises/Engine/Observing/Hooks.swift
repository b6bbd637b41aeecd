import CPlatform
import Synchronization

/// Functions that are notified of problems that no call returns. There is one set per process, shared by all languages.
///
/// Hooks are called on the thread where the problem occurs, with no lock held, and may do anything. Problems that occur
/// within a hook are not reported.
@safe
package struct Hooks {
  /// Reports that a rejected promise was destroyed, and its rejection was never handled (Unhandled.swift).
  package typealias UnhandledRejection =
    @convention(c) (_ context: UnsafeMutableRawPointer?, _ id: UInt64, _ reason: UnsafeRawPointer) -> Void
  /// Reports that a call tried to settle a promise that was settled already. `state`: the outcome that the call wanted.
  package typealias SecondSettlement =
    @convention(c) (
      _ context: UnsafeMutableRawPointer?, _ id: UInt64, _ state: Int32, _ value: UnsafeRawPointer
    ) -> Void
  /// Reports that a promise was destroyed while pending, although calls from outside were to settle it. `callbacks`:
  /// the number of callbacks that will never run.
  package typealias LostPromise =
    @convention(c) (_ context: UnsafeMutableRawPointer?, _ id: UInt64, _ callbacks: UInt64) -> Void

  package var unhandledRejection: UnhandledRejection?
  package var secondSettlement: SecondSettlement?
  package var lostPromise: LostPromise?
  package init() {}

  package var isEmpty: Bool { interests == .none }

  fileprivate var interests: Observation.Interests {
    var interests = Observation.Interests.none
    if unsafe unhandledRejection != nil { interests = interests | .unhandledRejections }
    if unsafe secondSettlement != nil { interests = interests | .secondSettlements }
    if unsafe lostPromise != nil { interests = interests | .lostPromises }
    return interests
  }

  /// Replaces the hooks; nil removes them. The context of the previous ones is released once no call of them is
  /// running. False when memory has run out: the hooks stay unchanged, and the new context is released.
  package static func replace(_ hooks: Hooks?, _ context: Context) -> Bool {
    var listener: UnsafeMutablePointer<Listener<Hooks>>?
    if let hooks {
      guard let made = unsafe Listener.make(hooks, context) else { return false }
      unsafe listener = unsafe made
    }
    platform_lock(Int32(PLATFORM_LOCK_OBSERVERS))
    let before = unsafe current
    unsafe current = unsafe listener
    Observation.change(.hooks, to: hooks?.interests ?? .none)
    platform_unlock(Int32(PLATFORM_LOCK_OBSERVERS))
    unsafe Listener.release(before)
    return true
  }

  fileprivate static func call(_ body: (Hooks, UnsafeMutableRawPointer?) -> Void) {
    unsafe Listener.call({ unsafe current }, body)
  }
}

/// The current hooks, guarded by PLATFORM_LOCK_OBSERVERS.
nonisolated(unsafe) private var current: UnsafeMutablePointer<Listener<Hooks>>?

// The reports. Called where the thread has no lock that a hook might need.
extension CellRef {
  /// Reports a call that tried to settle this promise again, with a value that is about to be released.
  @inline(never)
  func reportSecondSettlement(_ value: CellValue, _ outcome: Outcome) {
    guard Observation.wants(.secondSettlements) else { return }
    var value = value
    unsafe Hooks.call { hooks, context in
      unsafe hooks.secondSettlement?(context, id, outcome.isRejected ? 3 : 2, &value)
    }
  }

  /// Reports that this promise is destroyed, and its rejection was never handled.
  func reportUnhandledRejection() {
    var reason = value
    unsafe Hooks.call { hooks, context in unsafe hooks.unhandledRejection?(context, id, &reason) }
  }

  /// Reports that this promise is destroyed while pending, with these reactions.
  func reportLoss(newest: UInt32) {
    // The value of a promise on demand is not lost: no reader has asked for it, and it can be fetched again.
    guard Observation.wants(.lostPromises), reactionKind == .none, !isOrphan, !isOnDemand else { return }
    var callbacks: UInt64 = 0
    for reaction in ReactionList(newest) {
      if reaction.reactionKind != .cancelHandler && reaction.reactionKind != .detached { callbacks += 1 }
    }
    unsafe Hooks.call { hooks, context in unsafe hooks.lostPromise?(context, id, callbacks) }
  }
}
