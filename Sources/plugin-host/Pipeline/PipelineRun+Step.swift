import PluginRuntime
import Promises
import Synchronization

/// Runs one step, once the results that it uses are available, on the thread that settles them.
extension PipelineRun {
  /// Makes the step's calls. The promise is fulfilled with the result, or rejected as skipped if the condition does not
  /// hold.
  nonisolated func perform(
    _ step: PipelinePlan.Step, _ number: Int, _ results: StepResults, _ rescueInputs: RescueInputs?,
    _ source: Inputs.Element?
  ) -> Promise<PluginValue> {
    do {
      if let condition = step.condition, !condition.isForEach, try !condition.isTrue(results) {
        return Promise<PluginValue>.reject(CallFailure.skipped)
      }
      guard let each = step.each else { return repeated(step, number, results) }
      switch each.source {
      case .list(let list):
        let all = try list.elements(results)
        let elements = try step.condition?.chosen(from: all, results) ?? all
        return forEach(elements, of: step, number, results, rescueInputs, limit: each.limit)
      case .stream:
        return forEachEvent(of: source, step, number, results, rescueInputs, limit: each.limit)
      }
    } catch {
      return Promise<PluginValue>.reject(CallFailure.rejected(message: "\(error)"))
    }
  }

  /// Makes the call for each element. The promise is fulfilled with the list of their results. After the first failure
  /// no other call begins, and the promise is rejected once no call is running.
  private nonisolated func forEach(
    _ elements: [PipelinePlan.Element], of step: PipelinePlan.Step, _ number: Int, _ results: StepResults,
    _ rescueInputs: RescueInputs?, limit: Int
  ) -> Promise<PluginValue> {
    if elements.isEmpty { return .resolve(.array([])) }
    let all = Promise<PluginValue>()
    let holder = ElementsHolder(count: elements.count)
    let slots = Slots(limit: limit)
    note(.running(StepState.Report()), step: number)
    for (place, element) in elements.enumerated() {
      let index = element.index ?? place
      slots.enter { [self] in
        let isWanted = holder.state.withLock { state in
          guard state.failure == nil else { return false }
          state.running += 1
          return true
        }
        guard isWanted else { return }
        // Without a limit, a call need not wait for one before it that was given up and goes on.
        let slot = limit == .max ? nil : Slots(limit: 1)
        let made = ElementCall(
          slot: slot, rescueInputs: rescueInputs, failure: { holder.state.withLock(\.failure) },
          note: { [self] failure in
            let failure = self.failure(failure, ofElement: index, number)
            holder.state.withLock { $0.note(failure) }
          },
          pause: { [self] pauses in end(holder.state.withLock { $0.pause(pauses) }, all) })
        call(for: element, index, of: step, number, results, made).then(
          { [self] value in
            let done = holder.state.withLock { $0.fulfil(value, place) }
            // With an unchanged message: another one is another line in a log.
            report("of \(elements.count)", fraction: Double(done.count) / Double(elements.count), number)
            end(done, all)
            Slots.enter([slot].compactMap(\.self)) { slots.leave() }
          },
          { [self] reason in
            // Keeps the slot, so that no other call begins.
            let failure = failure(reason, ofElement: index, number)
            end(holder.state.withLock { $0.fail(failure) }, all)
          })
      }
    }
    return all
  }

  /// Makes the call for an element of a list, or for an event.
  nonisolated func call(
    for element: PipelinePlan.Element, _ index: Int, of step: PipelinePlan.Step, _ number: Int, _ results: StepResults,
    _ made: ElementCall
  ) -> Promise<PluginValue> {
    let results = results.adding(element, at: index)
    let call = repeated(step, number, results, for: made)
    return rescued(call, step: step, number: number, made.rescueInputs, results, for: made)
  }

  /// Returns the failure of the call for an element or event. If the whole run was given up, the failure names no
  /// element.
  nonisolated func failure(_ reason: Any?, ofElement index: Int, _ number: Int) -> CallFailure {
    let failure = CallFailure(reason: reason)
    return failure == reasonGivenUp(number) ? failure : failure.ofElement(index)
  }

  private nonisolated func end(_ done: Elements.Done, _ all: Promise<PluginValue>) {
    switch done.outcome {
    case nil: break
    case .success(let values): all.resolve(.array(values))
    case .failure(let failure): all.reject(failure)
    }
  }

  nonisolated func report(_ message: String, fraction: Double? = nil, _ number: Int) {
    session.loop.post { [self] in
      board.report(StepState.Report(fraction: fraction, message: message), step: number)
    }
  }

  /// Makes the call, and retries after a failure as often as the step allows.
  nonisolated func repeated(
    _ step: PipelinePlan.Step, _ number: Int, _ results: StepResults, for element: ElementCall? = nil
  ) -> Promise<PluginValue> {
    guard let retry = step.retry else { return begin(step.call, step, number, results, for: element) }
    let outcome = Promise<PluginValue>()
    attempt(1, retry, step, number, results, for: element, outcome)
    return outcome
  }

  private nonisolated func attempt(
    _ count: Int, _ retry: Retry, _ step: PipelinePlan.Step, _ number: Int, _ results: StepResults,
    for element: ElementCall?, _ outcome: Promise<PluginValue>
  ) {
    begin(step.call, step, number, results, for: element, attempt: count).then(
      { outcome.resolve($0) },
      { [self] reason in
        let failure = CallFailure(reason: reason)
        guard retry.follows(failure, of: count), reasonGivenUp(number) == nil, element?.failure() == nil else {
          return outcome.reject(failure)
        }
        let delay = retry.delay(before: count)
        element?.pause(true)
        report("attempt \(count + 1) of \(retry.times + 1) in \(CallFailure.number(delay)) s: \(failure)", number)
        let id = nextActive.add(1, ordering: .relaxed).newValue
        session.loop.post { [self] in
          if let reason = reasonGivenUp(number) {
            element?.pause(false)
            return outcome.reject(reason)
          }
          let alarm = session.loop.after(.seconds(delay)) { [self] in
            active[id] = nil
            element?.pause(false)
            attempt(count + 1, retry, step, number, results, for: element, outcome)
          }
          guard number < plan.firstFinal else { return }
          active[id] = { [self] reason in
            active[id] = nil
            alarm.cancel()
            element?.pause(false)
            outcome.reject(reason)
          }
        }
      })
  }

  /// Makes one call once a slot is free, or reads its result from the cache. The call of an element is not made, and is
  /// rejected with the failure, if one of another element was rejected before.
  nonisolated func begin(
    _ call: PipelinePlan.Call, _ step: PipelinePlan.Step, _ number: Int, _ results: StepResults,
    for element: ElementCall?, attempt: Int = 1, isRescue: Bool = false
  ) -> Promise<PluginValue> {
    if let reason = reasonGivenUp(number) { return Promise<PluginValue>.reject(reason) }
    let serial = step.serial.flatMap { lanes[$0] }
    let timed = TimedCall(in: session, on: session.lanes[call.plugin.id] ?? serial?.lane)
    let id = nextActive.add(1, ordering: .relaxed).newValue
    session.loop.post { [self] in
      if number < plan.firstFinal { active[id] = { timed.giveUp($0, endsAtOnce: true) } }
      // The run may have been given up since the call began.
      if let reason = reasonGivenUp(number) { timed.giveUp(reason, endsAtOnce: true) }
    }
    let cached = cache.flatMap { cache in
      let element = results[PipelinePlan.StepResult.index]
      let after = plan.after(step).map { plan.steps[$0].name }
      return cache.keeps(call, isFinal: number >= plan.firstFinal)
        ? CachedCall(call, of: step.name, after: after, element: element, isRescue: isRescue, in: cache) : nil
    }
    let isShown = step.each == nil
    if let element {
      // Before the slots are left, in which calls for other elements may begin.
      timed.outcome.then(
        { _ in },
        { reason in
          let failure = CallFailure(reason: reason)
          let isRepeated = step.retry?.follows(failure, of: attempt) ?? false
          if isRescue || !isRepeated && !element.canBeReplaced(by: step.rescue) { element.note(failure) }
        })
    }
    let thread = threads[call.plugin.id]
    let limits = [element?.slot, serial?.slots, slots].compactMap(\.self)
    let start: @Sendable () -> Void = { [self] in
      timed.returns.then({ thread?.leave() }, nil)
      timed.end.then(
        { [self] in
          timed.returns.resolve(())
          session.loop.post { [self] in active[id] = nil }
          if !isRescue { streams[number]?.end(id) }
          for limit in limits.reversed() { limit.leave() }
        }, nil)
      if let failure = element?.failure() {
        timed.outcome.reject(failure)
        return timed.end.resolve(())
      }
      if !isRescue { streams[number]?.begin(timed, id) }
      if reasonGivenUp(number) == nil, !isRescue, isShown { note(.running(StepState.Report()), step: number) }
      timed.start(timeout: call.timeout) { [self, session] use in
        let arguments = try call.values(results, host: session.host, stream: streams[number])
        if let value = cached?.find(arguments) {
          if isShown { found.withLock { _ = $0.insert(number) } }
          return .resolve(value)
        }
        let reports = PostedReports(session.loop) { [self] in board.report($0, step: number) }
        return session.call(call.function, of: call.plugin, arguments) { report in
          withExtendedLifetime(use) {}
          if isShown { reports.post(report) }
        }
      }
    }
    Slots.enter([element?.slot, serial?.slots, thread, slots].compactMap(\.self), start)
    guard let cached else { return timed.outcome }
    return timed.outcome.then { value in
      cached.keep(value)
      return value
    }
  }
}

extension CallFailure {
  /// Returns the failure of the call, with the index of its element or event.
  fileprivate func ofElement(_ index: Int) -> CallFailure {
    let place = Self.place(ofElement: index)
    return switch self {
    case .rejected(let message, let reason): .rejected(message: place + message, reason: reason)
    case .wrongArguments(let message): .wrongArguments(message: place + message)
    case .timedOut(let seconds, _): .timedOut(seconds: seconds, element: index)
    case .notRun, .skipped, .interrupted: self
    }
  }
}

/// The call for an element or event, with its repetitions and its substitute.
struct ElementCall: Sendable {
  /// The slot in which they run one after the other; nil if they need not.
  var slot: Slots?
  let rescueInputs: PipelineRun.RescueInputs?
  /// Returns the first failure of a call of the step, after which no other begins.
  let failure: @Sendable () -> CallFailure?
  /// Notes a failure after which the element has no result.
  let note: @Sendable (CallFailure) -> Void
  /// Notes whether the element waits for its next attempt, so that no call of it is running.
  let pause: @Sendable (Bool) -> Void

  /// Whether the rescue replaces the result of a rejected call, as far as that is known.
  func canBeReplaced(by rescue: PipelinePlan.Rescue?) -> Bool {
    switch rescue {
    case nil: false
    case .value: true
    case .call: rescueInputs?.state != .rejected
    }
  }
}

/// The state of a step's elements, shared by the threads on which its calls end.
private final class ElementsHolder: Sendable {
  let state: Mutex<Elements>

  init(count: Int) {
    state = Mutex(Elements(count: count))
  }
}

/// The results of the calls for the elements of a list.
private struct Elements: Sendable {
  struct Done {
    /// The number of elements whose results have arrived.
    var count: Int
    /// The outcome of all calls; nil while the outcome is open, or calls are still running after a failure.
    var outcome: Result<[PluginValue], CallFailure>?
  }

  var running = 0
  /// The number of those that wait for their next attempt.
  private var paused = 0
  private(set) var failure: CallFailure?
  private var values: [PluginValue?]
  private var count = 0

  init(count: Int) {
    values = Array(repeating: nil, count: count)
  }

  mutating func fulfil(_ value: PluginValue, _ index: Int) -> Done {
    running -= 1
    count += 1
    values[index] = value
    return done
  }

  mutating func fail(_ failure: CallFailure) -> Done {
    running -= 1
    note(failure)
    return done
  }

  /// Notes the failure of a call that still counts as running.
  mutating func note(_ failure: CallFailure) { self.failure = self.failure ?? failure }

  mutating func pause(_ pauses: Bool) -> Done {
    paused += pauses ? 1 : -1
    return done
  }

  private var done: Done {
    if let failure { return Done(count: count, outcome: running == paused ? .failure(failure) : nil) }
    return Done(count: count, outcome: count == values.count ? .success(values.compactMap(\.self)) : nil)
  }
}
