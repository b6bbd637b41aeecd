import CPlatform
import Synchronization

/// What is told when something goes wrong that nobody asked about. One set for the process, whatever language set it.
///
/// Hooks are called on the thread where it happens, with no lock held, and may do anything. What happens within a hook is
/// not reported.
@safe
package struct Hooks {
  /// A promise was rejected, and went without anybody having taken that (Unhandled.swift).
  package typealias UnhandledRejection =
    @convention(c) (_ context: UnsafeMutableRawPointer?, _ id: UInt64, _ reason: UnsafeRawPointer) -> Void
  /// A call that was to settle a promise so found it settled.
  package typealias SecondSettlement =
    @convention(c) (
      _ context: UnsafeMutableRawPointer?, _ id: UInt64, _ state: Int32, _ value: UnsafeRawPointer
    ) -> Void
  /// A promise that somebody was to settle went unsettled, and with it so many callbacks.
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

  /// Replaces the hooks; nil: nobody is told. The context of those before is released when no call of theirs goes on any
  /// more. False when memory has run out: the hooks stay as they are, and this context is released.
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
    unsafe Listener.letGo(before)
    return true
  }

  fileprivate static func call(_ body: (Hooks, UnsafeMutableRawPointer?) -> Void) {
    unsafe Listener.call({ unsafe current }, body)
  }
}

/// Guarded by PLATFORM_LOCK_OBSERVERS.
nonisolated(unsafe) private var current: UnsafeMutablePointer<Listener<Hooks>>?

// What is reported. Called where nothing is held that a hook could miss.
extension CellRef {
  /// A call of the user's was to settle this promise, which is settled already, with a value that goes now.
  @inline(never)
  func reportSecondSettlement(_ value: CellValue, _ outcome: Outcome) {
    guard Observation.wants(.secondSettlements) else { return }
    var value = value
    unsafe Hooks.call { hooks, context in
      unsafe hooks.secondSettlement?(context, id, outcome.isRejected ? 3 : 2, &value)
    }
  }

  /// This promise goes, and nobody has taken the reason that it was rejected with.
  func reportUnhandledRejection() {
    var reason = value
    unsafe Hooks.call { hooks, context in unsafe hooks.unhandledRejection?(context, id, &reason) }
  }

  /// This promise goes unsettled, with these reactions.
  func reportLoss(newest: UInt32) {
    guard Observation.wants(.lostPromises), reactionKind == .none, !isOrphan else { return }
    var callbacks: UInt64 = 0
    var next = newest
    while next != 0 {
      let reaction = CellRef(index: next)
      next = unsafe reaction.cell.pointee.next
      if reaction.reactionKind != .cancelHandler && reaction.reactionKind != .detached { callbacks += 1 }
    }
    unsafe Hooks.call { hooks, context in unsafe hooks.lostPromise?(context, id, callbacks) }
  }
}
