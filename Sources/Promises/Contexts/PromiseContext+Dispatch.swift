// Dispatches callbacks to contexts, through the engine's job: a closure, and the outcomes that it handles.

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

  /// This context without `.nowOr`, for work that the calling thread must not wait for.
  package var later: PromiseContext { isNowOr ? PromiseContext(place) : self }

  /// The context for work that a timer starts: `.auto` for `.immediate`, which has no thread to offer then.
  package var deferred: PromiseContext { place == .immediate ? .auto : later }

  /// Returns a context that reserves a position in the executor's order for its next callback. Releasing the context
  /// gives the position up. Returns this context if the executor reserves no positions.
  package func reserved() -> PromiseContext {
    guard case .executor(let held) = place, case .executor(let executor) = held.object,
      let executor = executor as? any PromiseReservingExecutor
    else { return self }
    return PromiseContext(.executor(HeldExecutor(executor.reserve())), isNowOr: isNowOr)
  }

  /// Runs `body`, which holds `cell` and has it settled, in the context, later; inline for `.immediate`. If the
  /// executor drops the work, `cell` is rejected.
  func run(settling cell: CellRef, _ body: consuming @escaping () -> Void) {
    if place == .immediate { return run(consume body) }
    let work = SettlingWork(cell, consume body)
    run { work.run() }
  }

  /// Runs `body` in the context, later; inline for `.immediate`.
  func run(_ body: consuming @escaping () -> Void) {
    let ready = CellRef.pending()
    _ = ready.settle(.void, .fulfilled)
    ready.observe(self, Reactions.running(consume body))
    ready.release()
  }

  /// Runs `body` in the context, never "now": the call that runs it does not count as the call that submitted it.
  func runApart(_ body: consuming @escaping () -> Void) {
    later.run(PromiseContext.apart(consume body))
  }

  /// Runs `body`, as `runApart(_:)` does, which has `cell` settled. If the executor drops the work, `cell` is rejected.
  package func runApart(settling cell: CellRef, _ body: consuming @escaping () -> Void) {
    later.run(settling: cell, PromiseContext.apart(consume body))
  }

  private static func apart(_ body: @escaping () -> Void) -> () -> Void {
    { executing(now: false, body) }
  }
}

extension Reactions {
  fileprivate static func running(_ body: @escaping () -> Void) -> Closure {
    { _, _, _ in
      body()
      return .leave
    }
  }
}

extension CellRef {
  /// Returns a promise that the closure settles. The caller owns the reference.
  ///
  /// The closure runs in the context, for the outcomes in `outcomes`. Other outcomes are forwarded without a
  /// submission, so a closure that is called inline must forward them itself. With `isOwn` it calls no user code, and
  /// need not run if no one can observe the promise.
  @usableFromInline
  func derive(
    _ context: PromiseContext, for outcomes: Job.OutcomeSet = .all, interest: Interest = .counted, isOwn: Bool = false,
    _ closure: consuming @escaping Closure
  ) -> CellRef {
    guard
      let derived = react(
        context, for: outcomes, interest: interest, returnsPromise: true, isOwn: isOwn, consume closure)
    else {
      fatalError("no memory for a promise")
    }
    return derived
  }

  /// Attaches a closure that settles no promise. It runs in the context, for the outcomes in `outcomes`. `rejections`:
  /// the rejections among them that count as handled.
  @usableFromInline
  func observe(
    _ context: PromiseContext, for outcomes: Job.OutcomeSet = .all, interest: Interest = .counted,
    rejections: RejectionUse = .handled, _ closure: consuming @escaping Closure
  ) {
    let reaction = react(
      context, for: outcomes, interest: interest, returnsPromise: false,
      rejections: outcomes.handlesFailures ? rejections : .ignored, consume closure)
    if reaction == nil {
      fatalError("no memory for a callback")
    }
  }

  private func react(
    _ context: PromiseContext, for outcomes: Job.OutcomeSet, interest: Interest, returnsPromise: Bool,
    rejections: RejectionUse = .handled, isOwn: Bool = false, _ closure: consuming @escaping Closure
  ) -> CellRef? {
    if context.isNowOr && state.isSettled {
      return react(
        returnsPromise: returnsPromise, interest: interest, rejections: rejections, isOwn: isOwn,
        PromiseContext.now(consume closure))
    }
    guard let executor = context.executor else {
      return react(
        returnsPromise: returnsPromise, interest: interest, rejections: rejections, isOwn: isOwn, consume closure)
    }
    defer { withExtendedLifetime(context) {} }
    var plan = Job.Plan()
    plan.executor = executor
    plan.outcomes = outcomes
    plan.isOwn = isOwn
    plan.rejections = rejections
    plan.closure = StoredClosure(consume closure)
    return unsafe react(&plan, Context(nil, nil), interest: interest, references: returnsPromise ? 2 : 1)
  }
}
