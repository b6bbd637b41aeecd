import Foundation
public import Promises

/// An operation whose work settles a future. It executes until the future is settled, so dependent operations wait for
/// the outcome.
///
///     let load = PromiseOperation<Int, any Error>(on: .utility) { resolver in ... }
///     queue.addOperation(load)
///     load.future.onSuccess(on: .main) { show($0) }
///
/// Cancelling the operation asks the future to cancel, and asking the future cancels the operation. Before the
/// operation starts, this prevents the work: the future is cancelled when the operation is started, by its queue or by
/// hand. After that the work decides.
///
/// An operation that is destroyed without having been started cancels its future. Destroying it while its work runs has
/// no effect on the future. `isFinished` is true when the first callback of the future runs.
public final class PromiseOperation<Value, Failure>: Operation, @unchecked Sendable {
  private typealias Body = (Resolver<Value, Failure>) -> Void

  // waiting --start--> executing --the work's future is settled--> finished
  //      +---start, cancelled--------------------------------------> finished
  private enum Phase {
    case waiting(PromiseContext, SubmittedCallback<Body>, Resolver<Value, Failure>)
    case executing, finished
  }

  /// The future, the same one at each access.
  public let future: Future<Value, Failure>

  private let lock = NSLock()
  private var phase: Phase

  /// Creates an operation that has not started.
  ///
  /// - Parameter body: called at most once, inside `start()`, and released then. If it releases its resolver unsettled,
  ///   the future is cancelled.
  public convenience init(_ body: @escaping (Resolver<Value, Failure>) -> Void) { self.init(.immediate, body) }

  /// Creates an operation that has not started. `body` runs in `context`, and never inline in a `.nowOr` context. See
  /// `init(_:)` and `Future.init(on:_:)`.
  @_disfavoredOverload
  public convenience init(
    on context: PromiseContext, _ body: sending @escaping (Resolver<Value, Failure>) -> Void
  ) {
    self.init(context, body)
  }

  /// Creates an operation that has not started. `body` runs on the main actor. See `init(_:)`.
  public convenience init(on main: MainContext, _ body: @escaping @MainActor (Resolver<Value, Failure>) -> Void) {
    self.init(main.place, main.calling(body))
  }

  private init(_ context: PromiseContext, _ body: @escaping (Resolver<Value, Failure>) -> Void) {
    let (future, resolver) = Future<Value, Failure>.makeWithResolver()
    self.future = future
    phase = .waiting(context, SubmittedCallback(body), resolver)
    super.init()
    resolver.onCancelRequest { [weak self] _ in self?.cancel() }
  }

  /// True: the work continues after `start()` has returned.
  public override var isAsynchronous: Bool { true }

  /// Whether the work has been started and the future is pending.
  public override var isExecuting: Bool {
    if case .executing = lock.withLock({ phase }) { return true }
    return false
  }

  /// Whether the future is settled or about to be.
  public override var isFinished: Bool {
    if case .finished = lock.withLock({ phase }) { return true }
    return false
  }

  /// Starts the work. The queue calls it; by hand, call it at most once. Later calls are no-ops.
  public override func start() {
    let (inner, work) = Future<Value, Failure>.makeWithResolver()
    let waiting = lock.withLock { () -> Phase? in
      guard case .waiting = phase else { return nil }
      return phase
    }
    guard case .waiting(let context, let held, let resolver) = waiting else { return }
    if isCancelled {
      // The release of the resolver, when this returns, cancels the future.
      _ = change(to: .finished, "isFinished", from: { if case .waiting = $0 { true } else { false } })
      return
    }
    guard change(to: .executing, "isExecuting", from: { if case .waiting = $0 { true } else { false } }) else {
      return
    }
    inner.whenResolved { [weak self] result in
      _ = self?.change(to: .finished, "isExecuting", "isFinished") { if case .executing = $0 { true } else { false } }
      resolver.resolve(result)
    }
    // Weak: the work holds the future. Called at once if the operation was cancelled since the test above.
    resolver.onCancelRequest { [work = inner.cancellable] _ in work.requestCancel() }
    if let body = held.take() {
      context.runApart(settling: inner.cell, Self.starting(consume body, consume work))
    }
  }

  private static func starting(_ body: @escaping Body, _ resolver: Resolver<Value, Failure>) -> () -> Void {
    { body(resolver) }
  }

  /// Marks the operation as cancelled, then asks the future to cancel.
  public override func cancel() {
    super.cancel()
    future.requestCancel()
  }

  /// Changes the phase and posts the change of `keys`. False if another call has left the expected phase before.
  private func change(to next: Phase, _ keys: String..., from isRight: (Phase) -> Bool) -> Bool {
    for key in keys { willChangeValue(forKey: key) }
    // Release the former phase outside the lock.
    var last: Phase?
    let changes = lock.withLock {
      guard isRight(phase) else { return false }
      last = phase
      phase = next
      return true
    }
    for key in keys { didChangeValue(forKey: key) }
    withExtendedLifetime(last) {}
    return changes
  }
}
