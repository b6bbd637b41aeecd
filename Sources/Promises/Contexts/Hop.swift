// The one way from a promise to where a callback runs: the engine's job, for a closure and the arms that it is for.

extension PromiseContext {
  /// The engine's executor; `nil` for `.immediate`. Valid as long as the context lives.
  var executor: CellExecutor? {
    switch place {
    case .immediate: nil
    case .main: MainContext.executor
    case .global(let priority): priority.executor
    case .executor(let held): held.cell
    }
  }

  /// The same place, never "now": where work goes that nobody is to wait for in the call that begins it.
  package var later: PromiseContext { isNowOr ? PromiseContext(place) : self }

  /// Where something goes that a timer brings: `.immediate` has no thread to offer then, so it stands for `.auto`.
  package var deferred: PromiseContext { place == .immediate ? .auto : later }

  /// A context whose next callback has a place in the executor's order from now on, which is given up when the context
  /// is released. An executor that keeps no places: the context itself.
  package func reserved() -> PromiseContext {
    guard case .executor(let held) = place, case .executor(let executor) = held.object,
      let executor = executor as? any PromiseReservingExecutor
    else { return self }
    return PromiseContext(.executor(HeldExecutor(executor.reserve())), isNowOr: isNowOr)
  }

  /// Runs `body` there, later; at once for `.immediate`.
  package func run(_ body: @escaping () -> Void) {
    let ready = CellRef.pending()
    _ = ready.settle(.void, .fulfilled)
    ready.observe(self) { _, _, _ in
      body()
      return .leave
    }
    ready.release()
  }

  /// The same, but never "now": what calls `body` is not the call that gave it.
  package func runApart(_ body: @escaping () -> Void) {
    later.run { PromiseContext.executing(now: false, body) }
  }
}

extension CellRef {
  /// A promise that the closure settles, as a reference of the caller's. It runs in the context, for the outcomes that
  /// it is for; another passes by without going there, as the closure has to let it pass where it is called at once.
  func derive(
    _ context: PromiseContext, for arms: Job.Arms = .all, interest: Interest = .counted, _ closure: @escaping Closure
  ) -> CellRef {
    guard let derived = react(context, for: arms, interest: interest, isHeld: true, closure) else {
      fatalError("no memory for a promise")
    }
    return derived
  }

  /// Runs the closure, which settles nothing, in the context, for the outcomes that it is for.
  func observe(
    _ context: PromiseContext, for arms: Job.Arms = .all, interest: Interest = .counted, _ closure: @escaping Closure
  ) {
    if react(context, for: arms, interest: interest, isHeld: false, closure) == nil {
      fatalError("no memory for a callback")
    }
  }

  private func react(
    _ context: PromiseContext, for arms: Job.Arms, interest: Interest, isHeld: Bool, _ closure: @escaping Closure
  ) -> CellRef? {
    let isNow = context.isNowOr && state.isSettled
    guard !isNow, let executor = context.executor else {
      return react(isHeld: isHeld, interest: interest, isNow ? PromiseContext.now(closure) : closure)
    }
    defer { withExtendedLifetime(context) {} }
    var plan = Job.Plan()
    plan.executor = executor
    plan.arms = arms
    plan.closure = StoredClosure(closure)
    return unsafe react(plan, Context(nil, nil), interest: interest, references: isHeld ? 2 : 1)
  }
}
