/// The role of a callback: the outcomes that it handles, its interest, and the fate of its future if its token is
/// invalidated.
@usableFromInline
struct Role {
  let outcomes: Job.OutcomeSet
  /// Whether the callback keeps back requests of other consumers to cancel the source.
  let interest: Interest
  let ifInvalidated: Verdict

  /// Makes the role of an observer. After an invalidation of its token, the outcome is forwarded.
  @usableFromInline static func observing(_ outcomes: Job.OutcomeSet, interest: Interest = .counted) -> Role {
    Role(outcomes: outcomes, interest: interest, ifInvalidated: .pass)
  }
  /// Makes the role of a transformation. After an invalidation of its token, the future is cancelled.
  @usableFromInline static func transforming(_ outcomes: Job.OutcomeSet) -> Role {
    Role(outcomes: outcomes, interest: .counted, ifInvalidated: .reject)
  }
}

extension Job.OutcomeSet {
  /// Cancellations, with an indirect error or without.
  @usableFromInline static var cancelled: Job.OutcomeSet { .discarded | .discardedWithCause }
}

extension Future {
  /// Returns a future that the callback settles. All derived futures are made here.
  @inlinable
  func derive<NewValue, NewFailure>(
    on context: PromiseContext, token: InvalidationToken?, _ role: Role, _ closure: consuming @escaping Closure
  ) -> Future<NewValue, NewFailure> {
    Future<NewValue, NewFailure>(cell: cell.derive(on: context, token: token, role, consume closure))
  }

  /// Attaches a callback that settles no future. All such callbacks are attached here.
  @inlinable
  func observe(
    on context: PromiseContext, token: InvalidationToken?, _ role: Role, _ closure: consuming @escaping Closure
  ) {
    cell.observe(on: context, token: token, role, consume closure)
  }
}

extension CellRef {
  @usableFromInline
  func derive(
    on context: PromiseContext, token: InvalidationToken?, _ role: Role, _ closure: consuming @escaping Closure
  ) -> CellRef {
    derive(context, for: role.outcomes, interest: role.interest, role.gated(by: token, consume closure))
  }

  @usableFromInline
  func observe(
    on context: PromiseContext, token: InvalidationToken?, _ role: Role, _ closure: consuming @escaping Closure
  ) {
    observe(context, for: role.outcomes, interest: role.interest, role.gated(by: token, consume closure))
  }
}

extension Role {
  /// Wraps the closure so that it is called only while the token is not invalidated.
  fileprivate func gated(by token: InvalidationToken?, _ closure: @escaping Closure) -> Closure {
    guard let token else { return closure }
    let gate = TokenGate(token)
    return { isRejected, value, out in
      guard !gate.isOpen, outcomes.contains(value, isRejected ? .rejected : .fulfilled) else {
        return closure(isRejected, value, &out)
      }
      out = CellValue(kind: .discarded)
      return ifInvalidated
    }
  }
}
