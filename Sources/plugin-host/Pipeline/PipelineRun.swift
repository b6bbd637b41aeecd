import PluginRuntime
import Promises
import Synchronization

/// A pipeline at work. Each step is one promise, made of those that it waits for; there is no scheduler besides them.
@MainActor
final class PipelineRun {
  /// How a step ended.
  typealias Outcome = Result<PluginValue, CallFailure>

  let plan: PipelinePlan
  private let session: Session
  private let board: ProgressBoard
  /// Of each step; nil while it is not settled. Only the values of the pipeline's result are kept.
  private(set) var outcomes: [Outcome?]
  private nonisolated let kept: Set<Int>
  /// Limits the number of calls at once.
  private nonisolated let slots: Slots
  private var attempts: [Int: Attempt] = [:]
  private var unsettled: Int
  /// Why the whole was given up; nil as long as it was not. Nothing begins any more then, and nothing is rescued.
  private nonisolated let givenUp = Mutex<CallFailure?>(nil)

  private nonisolated let cache: PipelineCache?
  /// The steps whose results are from the cache.
  private nonisolated let found = Mutex<Set<Int>>([])

  /// `jobs`: the number of calls that may run at once.
  init(plan: PipelinePlan, session: Session, board: ProgressBoard, jobs: Int = .max, cache: PipelineCache? = nil) {
    slots = Slots(limit: jobs)
    self.cache = cache
    self.plan = plan
    self.session = session
    self.board = board
    outcomes = Array(repeating: nil, count: plan.steps.count)
    unsettled = plan.steps.count
    kept = plan.result.steps
  }

  var isSettled: Bool { unsettled == 0 }

  /// Builds the steps' promises. Those that wait for nothing begin at once.
  func start() {
    var promises: [Int: Promise<PluginValue>] = [:]
    for number in plan.order {
      let step = plan.steps[number]
      let inputs = gather(named(step.inputs, promises))
      let own = inputs.then(async: { [self] in begin(step.call, of: number, inputs: $0, isRescue: false) })
      let promise = rescued(own, step: step, number: number, promises)
      // What waits for the step waits for this one, so that people hear of the step first.
      let told = Promise<PluginValue>()
      promise.then(
        { [self] value in
          settle(number, .success(value))
          told.resolve(value)
        },
        { [self] reason in
          settle(number, .failure(CallFailure(reason: reason)))
          told.reject(reason)
        })
      promises[number] = told
    }
  }

  /// Gives up whatever is not settled.
  func giveUp(_ reason: CallFailure) {
    givenUp.withLock { $0 = reason }
    for attempt in attempts.values { attempt.giveUp(reason) }
  }

  /// Gives up whatever is not settled, because the user wants to end; shows how far it came.
  func interrupt() {
    giveUp(.interrupted)
    for number in outcomes.indices where outcomes[number] == nil { board.enter(.interrupted, step: number) }
    board.finish()
  }

  /// The pipeline's own result, once every step is settled: it is fulfilled if all of them are.
  var conclusion: Result<PluginValue, Failure> {
    let failures = outcomes.enumerated().compactMap { number, outcome -> (name: String, failure: CallFailure)? in
      guard case .failure(let failure) = outcome else { return nil }
      return (plan.steps[number].name, failure)
    }
    // What did not run for want of an input says nothing new.
    let causes = failures.filter { if case .notRun = $0.failure { false } else { true } }
    if causes.isEmpty { return result }
    let isTimeout = causes.allSatisfy { $0.failure.status == .timedOut }
    return .failure(
      Failure(
        isTimeout ? .timedOut : .rejected,
        lines: causes.map { "plugin-host: \($0.name): \($0.failure)".displayLine }))
  }

  private var result: Result<PluginValue, Failure> {
    var values: [Int: PluginValue] = [:]
    for number in kept {
      if case .success(let value) = outcomes[number] { values[number] = value }
    }
    do {
      return .success(try plan.result.value(values))
    } catch {
      return .failure(Failure(.rejected, "the result: \(error)".displayLine))
    }
  }

  // MARK: Promises, on whichever thread settles them

  /// The promises of the steps `numbers`; the rejection of one names it, or the one that it has itself waited for in
  /// vain.
  private nonisolated func named(
    _ numbers: [Int], _ promises: [Int: Promise<PluginValue>]
  ) -> [(number: Int, promise: Promise<PluginValue>)] {
    numbers.compactMap { number in
      guard let promise = promises[number] else { return nil }
      let named = Promise<PluginValue>()
      let name = plan.steps[number].name
      promise.then(
        { named.resolve($0) },
        { reason in
          let failure = CallFailure(reason: reason)
          switch failure {
          case .notRun, .interrupted: named.reject(failure)
          case .rejected, .timedOut, .wrongArguments: named.reject(CallFailure.notRun(because: name))
          }
        })
      return (number, named)
    }
  }

  private nonisolated func rescued(
    _ own: Promise<PluginValue>, step: PipelinePlan.Step, number: Int, _ promises: [Int: Promise<PluginValue>]
  ) -> Promise<PluginValue> {
    guard let rescue = step.rescue else { return own }
    let rescued = Promise<PluginValue>()
    // Looked up now: all of them come before this step in the plan's order.
    let inputs: [(number: Int, promise: Promise<PluginValue>)] =
      if case .call(_, let numbers) = rescue { named(numbers, promises) } else { [] }
    own.then(
      { rescued.resolve($0) },
      { [self] reason in
        let failure = CallFailure(reason: reason)
        if reasonGivenUp != nil { return rescued.reject(failure) }
        note(.rescuing(from: failure.description, StepState.Report()), step: number)
        switch rescue {
        case .value(let value): rescued.resolve(value)
        case .call(let call, _):
          gather(inputs)
            .then(async: { [self] in begin(call, of: number, inputs: $0, isRescue: true) })
            .then({ rescued.resolve($0) }, { rescued.reject($0) })
        }
      })
    return rescued
  }

  private nonisolated func begin(
    _ call: PipelinePlan.Call, of number: Int, inputs: [Int: PluginValue], isRescue: Bool
  ) -> Promise<PluginValue> {
    if let reason = reasonGivenUp { return Promise<PluginValue>.reject(reason) }
    let attempt = Attempt(in: session)
    session.loop.post { [self] in
      attempts[number] = attempt
      // It may have happened since the call began.
      if let reason = reasonGivenUp { attempt.giveUp(reason) }
    }
    let cached = cache.flatMap { $0.keeps(call) ? CachedCall(call, of: plan.steps[number].name, in: $0) : nil }
    slots.enter { [self] in
      attempt.outcome.then({ [slots] _ in slots.leave() }, { [slots] _ in slots.leave() })
      if reasonGivenUp == nil, !isRescue { note(.running(StepState.Report()), step: number) }
      attempt.start(timeout: call.timeout) { [self, session] in
        let arguments = try call.values(inputs)
        if let value = cached?.find(arguments) {
          found.withLock { _ = $0.insert(number) }
          return .resolve(value)
        }
        return session.host.call(call.function.name, of: call.plugin.id, arguments) { report in
          session.loop.post { self.board.report(StepState.Report(report), step: number) }
        }
      }
    }
    guard let cached else { return attempt.outcome }
    return attempt.outcome.then { value in
      cached.keep(value)
      return value
    }
  }

  private nonisolated var reasonGivenUp: CallFailure? { givenUp.withLock { $0 } }

  private nonisolated func settle(_ number: Int, _ outcome: Outcome) {
    let isResult = kept.contains(number)
    let state = StepState(outcome, isFound: found.withLock { $0.contains(number) })
    session.loop.post { [self] in
      attempts[number] = nil
      unsettled -= 1
      outcomes[number] = isResult ? outcome : outcome.map { _ in .void }
      board.enter(state, step: number)
    }
  }

  private nonisolated func note(_ state: StepState, step: Int) {
    session.loop.post { [self] in board.enter(state, step: step) }
  }
}
