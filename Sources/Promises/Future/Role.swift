/// What a callback is to a future: the outcomes that it is called for, and what becomes of its future where it is not,
/// because its token was invalidated.
struct Role {
  let arms: Job.Arms
  /// Whether it keeps requests of others for the future to cancel back.
  let interest: Interest
  let ifInvalidated: Verdict

  /// It looks on; the result passes on without it.
  static func observing(_ arms: Job.Arms, interest: Interest = .counted) -> Role {
    Role(arms: arms, interest: interest, ifInvalidated: .pass)
  }
  /// It makes the result; without it there is none, and the future is cancelled.
  static func transforming(_ arms: Job.Arms) -> Role {
    Role(arms: arms, interest: .counted, ifInvalidated: .reject)
  }
}

extension Job.Arms {
  /// Cancellations, with an indirect error and without.
  static var cancelled: Job.Arms { .discarded | .discardedWithCause }
}

extension Future {
  /// The one way to a future that a callback settles.
  func derive<NewValue, NewFailure>(
    on context: PromiseContext, token: InvalidationToken?, _ role: Role, _ closure: @escaping Closure
  ) -> Future<NewValue, NewFailure> {
    Future<NewValue, NewFailure>(
      cell: cell.derive(context, for: role.arms, interest: role.interest, role.gated(by: token, closure)))
  }

  /// The one way to a callback that settles nothing.
  func observe(
    on context: PromiseContext, token: InvalidationToken?, _ role: Role, _ closure: @escaping Closure
  ) {
    cell.observe(context, for: role.arms, interest: role.interest, role.gated(by: token, closure))
  }
}

extension Role {
  /// The closure, called only as long as the token is not invalidated.
  fileprivate func gated(by token: InvalidationToken?, _ closure: @escaping Closure) -> Closure {
    guard let token else { return closure }
    let gate = TokenGate(token)
    return { isRejected, value, out in
      guard !gate.isOpen, arms.contains(value, Outcome(flag: isRejected ? CellState.rejected : 0)) else {
        return closure(isRejected, value, &out)
      }
      out = CellValue(kind: .discarded)
      return ifInvalidated
    }
  }
}
