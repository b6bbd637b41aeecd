import PluginRuntime
import Promises
import Synchronization

/// A running pipeline. Each step is a promise derived from the promises of the steps that it depends on: there is no
/// other scheduler.
@MainActor
final class PipelineRun {
  /// The outcome of a step.
  typealias Outcome = Result<PluginValue, CallFailure>
  /// The promises of steps, by their numbers.
  typealias Inputs = [(number: Int, promise: Promise<PluginValue>)]
  /// The promise of the results that the call of a rescue uses.
  typealias RescueInputs = Promise<[Int: PluginValue]>

  let plan: PipelinePlan
  nonisolated let session: Session
  let board: ProgressBoard
  /// The outcome of each step; nil while it is pending. Only the values of the pipeline's result are kept.
  private(set) var outcomes: [Outcome?]
  private nonisolated let kept: Set<Int>
  /// The types of the steps' results, by number.
  private nonisolated let shapes: [Int: ResultShape]
  /// Limits the number of calls at once.
  nonisolated let slots: Slots
  /// The threads of serial steps and the slots by which they run one at a time, by their names.
  nonisolated let lanes: [String: (lane: CallLane, slots: Slots)]
  /// The slots of plugins that have one thread, by their ids: a call that waits for the thread takes no other's slot. A
  /// call leaves it when its function has returned.
  nonisolated let threads: [String: Slots]
  /// Closures that give up a call, or the wait for its next attempt, by an id.
  var active: [Int: @MainActor (CallFailure) -> Void] = [:]
  nonisolated let nextActive = Atomic(0)
  private var unsettled: Int
  /// The number of pending steps outside `finally`, and the promise that is fulfilled when it reaches 0.
  private var unsettledBeforeFinal: Int
  private nonisolated let reachedFinal = Promise<[Int: PluginValue]>()
  /// The reason why the run was given up; nil otherwise. A run that was given up starts and rescues no step.
  private nonisolated let givenUp = Mutex<CallFailure?>(nil)

  /// The streams of the steps whose events other steps take, by number.
  nonisolated let streams: [Int: EventStream]

  nonisolated let cache: PipelineCache?
  /// The steps with a cached result.
  nonisolated let found = Mutex<Set<Int>>([])

  /// - Parameter jobs: the number of calls that may run at once.
  init(plan: PipelinePlan, session: Session, board: ProgressBoard, jobs: Int = .max, cache: PipelineCache? = nil) {
    let slots = Slots(limit: jobs)
    self.slots = slots
    self.cache = cache
    self.plan = plan
    self.session = session
    self.board = board
    outcomes = Array(repeating: nil, count: plan.steps.count)
    unsettled = plan.steps.count
    unsettledBeforeFinal = plan.firstFinal
    kept = plan.result.steps
    shapes = Dictionary(uniqueKeysWithValues: plan.steps.enumerated().map { ($0, $1.shape) })
    let streams = plan.steps.enumerated().compactMap { number, step in
      step.call.outlets.first.map {
        (number, EventStream(capacity: $0.capacity, consumers: step.consumers, slots: slots))
      }
    }
    self.streams = Dictionary(uniqueKeysWithValues: streams)
    let names = Set(plan.steps.compactMap(\.serial))
    lanes = Dictionary(
      uniqueKeysWithValues: names.map { ($0, (CallLane(), Slots(limit: 1))) })
    threads = session.lanes.mapValues { _ in Slots(limit: 1) }
  }

  var isSettled: Bool { unsettled == 0 }

  /// Builds the steps' promises. Steps without dependencies start immediately.
  func start() {
    var promises: [Int: Promise<PluginValue>] = [:]
    for number in plan.order {
      let step = plan.steps[number]
      let inputs = results(of: named(step.inputs, promises, after: Set(plan.after(step))))
      // Looked up now: all of these steps precede this one in the plan's order.
      let rescueInputs: RescueInputs? =
        if case .call(_, let numbers) = step.rescue { results(of: named(numbers, promises)) } else { nil }
      // The step whose events this one takes.
      let source = step.source.flatMap { named([$0], promises).first }
      let calls: @Sendable ([Int: PluginValue]) -> Promise<PluginValue> = { [self] results in
        perform(step, number, StepResults(results, shapes: shapes), rescueInputs, source)
      }
      let own =
        number < plan.firstFinal
        ? inputs.then(async: calls) : reachedFinal.then(async: { _ in inputs.then(async: calls) })
      let none = StepResults(shapes: shapes)
      let promise = step.each == nil ? rescued(own, step: step, number: number, rescueInputs, none) : own
      // Dependent steps wait for this promise, so that the end of this step is shown first.
      let told = Promise<PluginValue>()
      promise.then(
        { [self] value in
          endStreams(of: number, step)
          settle(number, .success(value))
          told.resolve(value)
        },
        { [self] reason in
          endStreams(of: number, step)
          settle(number, .failure(CallFailure(reason: reason)))
          told.reject(reason)
        })
      promises[number] = told
    }
  }

  /// Gives up all steps that are not settled.
  func giveUp(_ reason: CallFailure) {
    givenUp.withLock { $0 = reason }
    for giveUp in active.values { giveUp(reason) }
  }

  /// Gives up all steps that are not settled, because the user interrupts the run, and shows them as interrupted.
  func interrupt() {
    giveUp(.interrupted)
    for number in outcomes.indices.prefix(plan.firstFinal) where outcomes[number] == nil {
      board.enter(.interrupted, step: number)
    }
  }

  /// The pipeline's result. It is a success if all steps were fulfilled or skipped. Use after every step is settled.
  var conclusion: Result<PluginValue, PipelineFailure> {
    typealias Failed = (step: PipelinePlan.Step, failure: CallFailure)
    let failures = outcomes.enumerated().compactMap { number, outcome -> Failed? in
      guard case .failure(let failure) = outcome, failure != .skipped else { return nil }
      return (plan.steps[number], failure)
    }
    // A step that did not run because an input failed adds no cause.
    let causes = failures.filter { if case .notRun = $0.failure { false } else { true } }
    if causes.isEmpty { return result }
    let isTimeout = causes.allSatisfy { $0.failure.status == .timedOut }
    return .failure(
      PipelineFailure(
        status: isTimeout ? .timedOut : .rejected,
        failures: causes.map { $0.failure.failure(at: $0.step.name, facts: $0.step.facts) }))
  }

  private var result: Result<PluginValue, PipelineFailure> {
    var values: [Int: PluginValue] = [:]
    for number in kept {
      if case .success(let value) = outcomes[number] { values[number] = value }
    }
    do {
      return .success(try plan.result.value(StepResults(values)))
    } catch {
      return .failure(
        PipelineFailure(status: .rejected, failures: [Failure(.rejected, "the result: \(error)".displayLine)]))
    }
  }

  // MARK: Promises, on whichever thread settles them

  /// Returns the promises of the steps `numbers`. A rejection names the step, or the failed step that it waited for.
  private nonisolated func named(
    _ numbers: [Int], _ promises: [Int: Promise<PluginValue>], after: Set<Int> = []
  ) -> Inputs {
    numbers.compactMap { number in
      guard let promise = promises[number] else { return nil }
      let named = Promise<PluginValue>()
      let name = plan.steps[number].name
      promise.then(
        { named.resolve($0) },
        { reason in
          let failure = CallFailure(reason: reason)
          switch failure {
          // A step that runs `after` a skipped one still runs.
          case .skipped where after.contains(number): named.resolve(.void)
          case .notRun, .interrupted, .skipped: named.reject(failure)
          case .rejected, .timedOut, .wrongArguments: named.reject(CallFailure.notRun(because: name))
          }
        })
      return (number, named)
    }
  }

  /// Returns the promise of the values of all inputs, by the numbers of their steps.
  private nonisolated func results(of inputs: Inputs) -> Promise<[Int: PluginValue]> {
    when(fulfilled: inputs.map(\.promise)).then { values in
      Dictionary(zip(inputs.map(\.number), values)) { first, _ in first }
    }
  }

  /// Returns the promise of a call, or of its substitute. `results` has the element of a step with `each`. If an input
  /// of the substitute is missing, the promise is rejected with the failure of the call.
  nonisolated func rescued(
    _ own: Promise<PluginValue>, step: PipelinePlan.Step, number: Int, _ inputs: RescueInputs?, _ results: StepResults,
    for element: ElementCall? = nil
  ) -> Promise<PluginValue> {
    guard let rescue = step.rescue else { return own }
    let rescued = Promise<PluginValue>()
    own.then(
      { rescued.resolve($0) },
      { [self] reason in
        let failure = CallFailure(reason: reason)
        if reasonGivenUp(number) != nil || failure == .skipped { return rescued.reject(failure) }
        if step.each == nil { note(.rescuing(from: failure.description, StepState.Report()), step: number) }
        switch rescue {
        case .value(let value): rescued.resolve(value)
        case .call(let call, _):
          inputs?.then(
            { [self] inputs in
              begin(call, step, number, results.adding(inputs), for: element, isRescue: true)
                .then({ rescued.resolve($0) }, { rescued.reject($0) })
            },
            { [self] _ in rescued.reject(reasonGivenUp(number) ?? failure) })
        }
      })
    return rescued
  }

  /// Returns the reason why a step does not start; nil for steps of `finally`, which always start.
  nonisolated func reasonGivenUp(_ number: Int) -> CallFailure? {
    number < plan.firstFinal ? givenUp.withLock { $0 } : nil
  }

  /// Ends the events that a settled step publishes, and those that it takes.
  private nonisolated func endStreams(of number: Int, _ step: PipelinePlan.Step) {
    streams[number]?.finish()
    if let source = step.source { streams[source]?.consumer(number)?.leave() }
  }

  private nonisolated func settle(_ number: Int, _ outcome: Outcome) {
    let isResult = kept.contains(number)
    let state = StepState(outcome, isFound: found.withLock { $0.contains(number) })
    session.loop.post { [self] in
      unsettled -= 1
      if number < plan.firstFinal {
        unsettledBeforeFinal -= 1
        if unsettledBeforeFinal == 0 { reachedFinal.resolve([:]) }
      }
      outcomes[number] = isResult ? outcome : outcome.map { _ in .void }
      board.enter(state, step: number)
    }
  }

  nonisolated func note(_ state: StepState, step: Int) {
    session.loop.post { [self] in board.enter(state, step: step) }
  }
}
