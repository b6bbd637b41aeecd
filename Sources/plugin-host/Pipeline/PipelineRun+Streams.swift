import PluginRuntime
import Promises
import Synchronization

/// Runs a step for each event of another one, while that step runs.
extension PipelineRun {
  /// Makes a call for each event. The promise is fulfilled with the list of their results, or with nothing if there are
  /// none or nothing uses them, since there may be more events than memory for their results. It is rejected with the
  /// first failure, of a call or of `source`, once no call is running.
  nonisolated func forEachEvent(
    of source: Inputs.Element?, _ step: PipelinePlan.Step, _ number: Int,
    _ results: StepResults, _ rescueInputs: RescueInputs?, limit: Int
  ) -> Promise<PluginValue> {
    let all = Promise<PluginValue>()
    guard let source, let stream = streams[source.number], let consumer = stream.consumer(number) else {
      return .reject(CallFailure.rejected(message: "the step whose events it takes gives none"))
    }
    let keepsValues = step.call.function.signature.shape.kind != .void && plan.usesResult(of: number)
    let shape = plan.steps[source.number].call.outlets.first?.type.eventShape ?? .any
    let calls = EventCalls()
    let end: @Sendable (@Sendable (inout EventCalls.State) -> Void) -> Void = { change in
      switch calls.change(change) {
      case nil: break
      case .success(let values): all.resolve(keepsValues ? .array(values) : .void)
      case .failure(let failure): all.reject(failure)
      }
    }
    consumer.begin(limit) { [self] event in
      guard let event else { return end { $0.hasLast = true } }
      guard let index = calls.begin() else { return }
      if index == 0 { note(.running(StepState.Report()), step: number) }
      let slot = Slots(limit: 1)
      let made = ElementCall(
        slot: slot, rescueInputs: rescueInputs, failure: { calls.failure },
        note: { [self] failure in calls.note(self.failure(failure, ofElement: index, number)) },
        pause: { pauses in end { $0.paused += pauses ? 1 : -1 } })
      call(for: PipelinePlan.Element(value: event, shape: shape), index, of: step, number, results, made).then(
        { [self] value in
          let count = calls.count(keepsValues ? (index, value) : nil)
          if Self.isRound(count) { report("\(count) done", number) }
          end { $0.running -= 1 }
          slot.enter { consumer.next() }
        },
        { [self] reason in
          consumer.leave()
          let failure = failure(reason, ofElement: index, number)
          calls.note(failure)
          end { $0.running -= 1 }
          // After that: the end of the source is a reason too.
          stream.finish(
            because: reasonGivenUp(number)
              ?? .rejected(message: "a call of the step \"\(step.name)\", which takes its events, was rejected"))
        })
    }
    // The source settles after the stream has ended, but possibly before the last event was taken.
    source.promise.then(
      { _ in end { $0.isSourceFulfilled = true } },
      { reason in
        consumer.leave()
        calls.note(CallFailure(reason: reason))
        end { _ in }
      })
    return all
  }

  /// Whether a count has a single digit other than 0. Only these are shown: there may be millions of events, and each
  /// count is a line in a log.
  private nonisolated static func isRound(_ count: Int) -> Bool {
    var rest = count
    while rest > 9, rest.isMultiple(of: 10) { rest /= 10 }
    return rest <= 9
  }
}

/// The calls of a step that takes events, shared by the threads on which they end.
private final class EventCalls: Sendable {
  struct State {
    var begun = 0
    var running = 0
    /// The number of those that wait for their next attempt.
    var paused = 0
    var done = 0
    /// The results by the indices of the events, with `.void` for those that have not arrived.
    var values: [PluginValue] = []
    var hasLast = false
    var isSourceFulfilled = false
    var failure: CallFailure?
  }

  private let state = Mutex(State())

  /// Counts a call. Returns the index of its event; nil after a failure, when no more calls begin.
  func begin() -> Int? {
    state.withLock { state in
      guard state.failure == nil else { return nil }
      defer { state.begun += 1 }
      state.running += 1
      return state.begun
    }
  }

  /// Notes a result, and returns the number of finished calls.
  func count(_ result: (index: Int, value: PluginValue)?) -> Int {
    state.withLock { state in
      if let (index, value) = result {
        while state.values.count <= index { state.values.append(.void) }
        state.values[index] = value
      }
      state.done += 1
      return state.done
    }
  }

  /// The first failure, of a call or of the source.
  var failure: CallFailure? { state.withLock(\.failure) }

  func note(_ failure: CallFailure) { state.withLock { $0.failure = $0.failure ?? failure } }

  /// Changes the state, and returns the outcome of all calls; nil while there may be more. The step's promise ignores
  /// later ones.
  func change(_ change: (inout State) -> Void) -> Result<[PluginValue], CallFailure>? {
    state.withLock { state in
      change(&state)
      if let failure = state.failure { return state.running == state.paused ? .failure(failure) : nil }
      guard state.running == 0, state.hasLast, state.isSourceFulfilled else { return nil }
      return .success(state.values)
    }
  }
}
