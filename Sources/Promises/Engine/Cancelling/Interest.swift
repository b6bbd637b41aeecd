import CPlatform
import Synchronization

/// The interest of a reaction in its source. A source that loses all interest is asked to cancel.
///
/// Stored in bits 4 and 5 of `meta`. A `rescue` stores its type there; its interest is `counted`.
@usableFromInline
package struct Interest: Equatable {
  let rawValue: UInt32
  /// Interested until cancellation of its promise is requested.
  @usableFromInline package static var counted: Interest { Interest(rawValue: 0) }
  /// No interest, so the reaction blocks no request of others. Requests for its promise propagate upstream.
  @usableFromInline package static var quiet: Interest { Interest(rawValue: 1) }
  /// No interest. Requests for its promise do not propagate upstream.
  @usableFromInline package static var none: Interest { Interest(rawValue: 2) }
  /// Interested until the source is settled. Requests for its promise do not propagate upstream.
  @usableFromInline package static var lasting: Interest { Interest(rawValue: 3) }
}

/// The result of withdrawing the interest of a reaction.
enum Withdrawal {
  /// No interest is left: cancellation of the promise can be requested.
  case last
  /// Another reaction is interested.
  case othersLeft
  /// The promise is settled or being settled.
  case claimed
}

extension CellRef {
  /// The interest of this promise's reaction in its source. Another thread may detach the reaction meanwhile, with a
  /// lock on the source rather than on this promise. Either answer is valid then: a detached reaction has no interest,
  /// and `retained()` checks that the source is pending.
  var interest: Interest {
    let meta = unsafe platform_load_shared(metaAddress)
    return meta & ReactionKind.mask == ReactionKind.rescue.rawValue
      ? .counted : Interest(rawValue: meta >> ReactionKind.typeShift & 3)
  }

  /// The address of `meta`, for accesses that may run at the same time as those of another thread.
  var metaAddress: UnsafeMutablePointer<UInt32> {
    unsafe (UnsafeMutableRawPointer(cell) + Cell.metaOffset).assumingMemoryBound(to: UInt32.self)
  }

  /// Whether cancel requests for this promise propagate to its source.
  var propagatesRequests: Bool { interest == .counted || interest == .quiet }

  /// Whether this reaction's interest blocks cancel requests for its source.
  var isInterested: Bool {
    if interest == .lasting { return true }
    guard interest == .counted && reactionKind != .cancelHandler else { return false }
    let state = self.state
    return !state.isClaimed && !state.isCancelRequested
  }

  /// Records that a reaction to this promise lost interest.
  func withdrawInterest() -> Withdrawal {
    guard hold() == .held else { return .claimed }
    defer { unhold() }
    if !isWithdrawnWhileHeld {
      var detachState = self.detachState
      detachState.isWithdrawn = true
      self.detachState = detachState
      // A concurrent release that has not seen the loss of interest must notice it: this makes its exchange fail.
      watch()
    }
    return isWithoutInterest() ? .last : .othersLeft
  }

  /// Whether this promise, which is held, lost interest, possibly the last, and was not asked to cancel since.
  var isWithdrawnWhileHeld: Bool {
    !state.isCancelRequested && detachState.isWithdrawn
  }

  /// The reason of a cancel request for one of the promises derived from this one, with a reference for the caller;
  /// VOID if none was given. Call with the promise held.
  func withdrawnReason() -> CellValue {
    for reaction in ReactionList(state.head) {
      guard reaction.reactionKind != .cancelHandler, reaction.propagatesRequests, reaction.isCancelRequested else {
        continue
      }
      let reason = reaction.cancelReason()
      if reason.kind != ValueKind.void.rawValue { return reason }
    }
    return .void
  }

  /// Whether none of the reactions is interested. Call with the promise held.
  func isWithoutInterest() -> Bool {
    var detachState = self.detachState
    let isOver = detachState.isWithoutInterest(newest: state.head)
    self.detachState = detachState
    return isOver
  }
}
