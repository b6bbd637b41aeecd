import Promises
import PromisesTestSupport
import Testing

/// The three forms of an operator of `Future`, each a function of its own. Each attaches one of the callbacks.
struct OperatorForms {
  typealias Subject = Future<Int, TestError>
  typealias Attach<Derived> = (Subject, InvalidationToken, Callbacks) -> Derived

  let name: String
  /// The callbacks of the source that keep it from being asked to cancel.
  let interested: Int
  private let forms: [Attach<AnyDerived>]

  /// - Parameters: the form without a context, with a context, and for the main actor.
  init<Value, Failure>(
    _ name: String, interested: Int = 1, _ inline: @escaping Attach<Future<Value, Failure>>,
    _ inContext: @escaping Attach<Future<Value, Failure>>, _ onMain: @escaping Attach<Future<Value, Failure>>
  ) {
    (self.name, self.interested) = (name, interested)
    forms = [inline, inContext, onMain].map { attach in
      { future, token, callbacks in
        let derived = attach(future, token, callbacks)
        return AnyDerived(isSource: derived as? Subject == future) { derived.result.map { "\($0)" } }
      }
    }
  }

  /// Makes the forms of an operator that returns no future.
  init(
    terminal name: String, interested: Int = 1, _ inline: @escaping Attach<Void>, _ inContext: @escaping Attach<Void>,
    _ onMain: @escaping Attach<Void>
  ) {
    (self.name, self.interested) = (name, interested)
    forms = [inline, inContext, onMain].map { attach in
      { future, token, callbacks in
        attach(future, token, callbacks)
        return AnyDerived(isSource: false) { nil }
      }
    }
  }
}

/// A derived future without its types.
struct AnyDerived {
  /// Whether the operator returned the receiver.
  let isSource: Bool
  /// The result; nil while pending.
  let result: () -> String?
}

/// Callbacks that log their argument, each with a result of another type.
final class Callbacks: Sendable {
  let place: OperatorForms.Place
  let log: Recorder<String>
  let executor: ManualExecutor
  /// The derived future. The test and its callbacks use one thread.
  nonisolated(unsafe) var derived: AnyDerived?

  init(_ place: OperatorForms.Place, _ log: Recorder<String>, _ executor: ManualExecutor) {
    (self.place, self.log, self.executor) = (place, log, executor)
  }

  var here: PromiseContext { executor.here }

  func note<Argument>(_ argument: Argument) {
    log.record("\(argument)")
    #expect(executor.isRunning == (place == .context) && (place != .main || isOnMainQueue()))
    #expect(derived?.result() == nil, "the derived future settles after the callback has returned")
  }
  func run() { note(()) }
  func value<Argument>(_ argument: Argument) -> Int {
    note(argument)
    return 7
  }
  func after<Argument>(_ argument: Argument) -> Future<Int, TestError> { Future(fulfilled: value(argument)) }
  func error<Argument>(_ argument: Argument) -> TestError { TestError(value(argument)) }
  func outcome<Argument>(_ argument: Argument) -> FutureResult<Int, TestError> { .fulfilled(value(argument)) }
  func either<Argument>(_ argument: Argument) -> Result<Int, TestError> { .success(value(argument)) }
}

extension OperatorForms {
  enum Place: Int, CaseIterable { case inline, context, main }
  /// When the source settles, and whether the token is invalidated before.
  enum Course: CaseIterable { case settled, pending, silenced }

  struct Snapshot: Equatable {
    let log: [String]
    let result: String?
    /// Whether the callback still exists.
    let isHeld: Bool
  }

  struct Run {
    let isSource: Bool
    /// The description of the source with its callback.
    let source: String
    let atSettlement: Snapshot
    let waitingJobs: Int
    let end: Snapshot
  }

  /// Attaches the form for the place to a future with the outcome. Runs on the main actor, so a callback there waits.
  @MainActor func run(_ place: Place, _ outcome: FutureResult<Int, TestError>, _ course: Course) async -> Run {
    let (future, resolver) = Subject.makeWithResolver()
    let (token, executor, log) = (InvalidationToken(), ManualExecutor(), Recorder<String>())
    if course == .settled { resolver.resolve(outcome) }
    var callbacks: Callbacks? = Callbacks(place, log, executor)
    weak let held = callbacks
    let derived = forms[place.rawValue](future, token, callbacks!)
    if !derived.isSource { callbacks!.derived = derived }
    callbacks = nil
    let source = String(reflecting: future)
    if course == .silenced { token.invalidate() }
    resolver.resolve(outcome)
    func snapshot() -> Snapshot { Snapshot(log: log.events, result: derived.result(), isHeld: held != nil) }
    let (atSettlement, waitingJobs) = (snapshot(), executor.count)
    switch place {
    case .inline: break
    case .context: executor.runAll()
    case .main: await mainQueueDrained()
    }
    return Run(
      isSource: derived.isSource, source: source, atSettlement: atSettlement, waitingJobs: waitingJobs, end: snapshot())
  }

  /// Checks that the other forms do the same as the inline form, later if the callback handles the outcome, and at once
  /// if it does not.
  ///
  /// - Parameter cancels: whether a silenced callback cancels the derived future, or forwards the outcome.
  @MainActor func check(ifSilenced cancels: Bool) async {
    for outcome in Endings.all {
      let normal = await run(.inline, outcome, .pending)
      let isHandled = !normal.end.log.isEmpty
      for course in Course.allCases {
        let inline = await run(.inline, outcome, course)
        let end = inline.end
        let at = "\(name), \(outcome), \(course)"
        #expect(inline.atSettlement == end && !end.isHeld, "\(at)")
        if course != .settled { #expect(inline.source.contains(", \(interested) interested,"), "\(at)") }
        if course == .silenced {
          var silenced = normal.end.result
          if isHandled && silenced != nil { silenced = cancels ? "cancelled(nil)" : "\(outcome)" }
          #expect(end.log == [] && end.result == silenced, "\(at)")
        } else {
          #expect(end == normal.end, "\(at)")
        }
        for place in [Place.context, .main] {
          let other = await run(place, outcome, course)
          #expect(other.isSource == inline.isSource && other.source == inline.source, "\(at), \(place)")
          #expect(other.waitingJobs == (place == .context && isHandled ? 1 : 0), "\(at), \(place)")
          let pending = Snapshot(log: [], result: inline.isSource ? end.result : nil, isHeld: true)
          #expect(other.atSettlement == (isHandled ? pending : end), "\(at), \(place)")
          #expect(other.end == end, "\(at), \(place)")
        }
      }
    }
  }
}
