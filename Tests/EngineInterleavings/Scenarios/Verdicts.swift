// Invariants of every run, in any schedule.
extension Trial {
  /// Returns the violated invariants, as sentences.
  func violations() -> [String] {
    var wrong: [String] = []
    func require(_ condition: Bool, _ message: @autoclosure () -> String) {
      if !condition { wrong.append(message()) }
    }

    let outcome = checkWinner(require)
    checkCalls(outcome, require)
    checkReleases(require)
    checkOrder(require)
    checkAttaching(require)
    checkDiscardBlock(outcome, require)
    for case .waited(let thread, false) in events { require(false, "thread \(thread) woke too early") }
    if let last {
      require(last.isSettled == (outcome != nil), "at the end the promise is settled: \(last.isSettled)")
      if let outcome {
        require(
          (last.isRejected, last.value) == (outcome.isRejected, outcome.value),
          "at the end the promise holds \(last.value), not \(outcome.value)")
      }
    }
    return wrong
  }

  private typealias Require = (Bool, @autoclosure () -> String) -> Void
  private typealias Outcome = (thread: Int, value: UInt64, isRejected: Bool)

  /// Exactly one settling step wins, if there is any; after each of them the promise is settled.
  private func checkWinner(_ require: Require) -> Outcome? {
    var winner: Outcome?
    for case .settled(let thread, let won, let value, let isRejected, let isSettled) in events {
      require(isSettled, "thread \(thread) settled or found it settled, and then the promise was pending")
      guard won else { continue }
      require(winner == nil, "threads \(winner?.thread ?? -1) and \(thread) both won")
      winner = (thread, value, isRejected)
    }
    require((winner != nil) == script.settles, "nobody won")
    return winner
  }

  /// Each callback for the outcome runs once, with its value; the others never run.
  private func checkCalls(_ outcome: Outcome?, _ require: Require) {
    for probe in probes where probe.role != .discards {
      let calls = events.filter { if case .called(probe.number, _, _, _) = $0 { true } else { false } }
      let isDue = outcome.map { !$0.isRejected || probe.role != .derives } ?? false
      require(calls.count == (isDue ? 1 : 0), "callback \(probe.number) ran \(calls.count) times")
      guard let outcome, case .called(_, _, let value, let isRejected)? = calls.first else { continue }
      let expected = outcome.value + (probe.role == .observesDerived && !outcome.isRejected ? 100 : 0)
      require(
        (value, isRejected) == (expected, outcome.isRejected), "callback \(probe.number) got \(value), not \(expected)")
    }
  }

  /// Each context is released once, after its callback.
  private func checkReleases(_ require: Require) {
    for probe in probes {
      let releases = events.indices.filter { events[$0] == .released(probe: probe.number) }
      require(releases.count == 1, "context \(probe.number) was released \(releases.count) times")
      let call = events.firstIndex { if case .called(probe.number, _, _, _) = $0 { true } else { false } }
      guard let call, let release = releases.first else { continue }
      require(call < release, "context \(probe.number) was released before its call")
    }
  }

  /// The callbacks of one thread run in order if a single other thread runs them. Callbacks attached before the threads
  /// begin have run when the settling step returns.
  private func checkOrder(_ require: Require) {
    var latest: [[Int]: Int] = [:]
    for case .called(let number, let thread, _, _) in events {
      let probe = probes[number]
      guard probe.thread != thread, probe.role != .observesDerived else { continue }
      let before = latest.updateValue(number, forKey: [probe.thread, thread]) ?? 0
      require(before < number, "callback \(number) ran after \(before)")
    }
    guard let (end, winner) = winningStep else { return }
    for (index, event) in events.enumerated() {
      guard case .called(let number, let thread, _, _) = event else { continue }
      guard probes[number].thread == Scheduler.controller else { continue }
      require(thread == winner, "callback \(number) ran on thread \(thread), not \(winner)")
      require(index < end, "callback \(number) ran after the settling call had returned")
    }
  }

  /// The position in the record at which the winning step returned, and its thread.
  private var winningStep: (index: Int, thread: Int)? {
    for (index, event) in events.enumerated() {
      if case .settled(let thread, true, _, _, _) = event { return (index, thread) }
    }
    return nil
  }

  /// A callback attached to a settled promise runs before the attaching call returns.
  private func checkAttaching(_ require: Require) {
    var isSettled = false
    var due: Int?
    for event in events {
      switch event {
      case .settled: isSettled = true
      case .attaching(let probe, _) where isSettled && probes[probe].role == .observes: due = probe
      case .called(due, _, _, _): due = nil
      case .attached(let probe) where probe == due: require(false, "callback \(probe) did not run at once")
      default: break
      }
    }
  }

  /// The discard block runs exactly once if the discard wins: after the rejection, before all callbacks.
  private func checkDiscardBlock(_ outcome: Outcome?, _ require: Require) {
    let blocks = events.indices.filter { if case .discardBlock = events[$0] { true } else { false } }
    let isDiscarded = outcome?.value == Trial.discarded
    require(blocks.count == (isDiscarded ? 1 : 0), "the discard block ran \(blocks.count) times")
    for case .discardBlock(false) in events { require(false, "the discard block ran before the rejection") }
    guard let block = blocks.first, let winner = winningStep?.thread else { return }
    for case .called(let number, winner, _, _) in events[..<block] {
      require(false, "callback \(number) ran before the discard block")
    }
  }
}
