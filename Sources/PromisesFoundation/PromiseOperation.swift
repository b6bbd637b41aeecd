import Foundation
public import Promises

/// An operation whose work settles a future: it executes until the future is settled, so what depends on it waits.
///
///     let load = PromiseOperation<Int, any Error>(on: .utility) { resolver in ... }
///     queue.addOperation(load)
///     load.future.onSuccess(on: .main) { show($0) }
///
/// Cancelling the operation asks the future to cancel, and asking the future cancels the operation. If that comes before
/// the operation starts, its work never does, and the future is cancelled when the operation is started, by its queue or
/// by hand. After that it is up to the work.
///
/// An operation that goes without having been started cancels its future; one that goes while its work runs does nothing
/// to it. `isFinished` is true when the first callback of the future runs.
public final class PromiseOperation<Value, Failure>: Operation, @unchecked Sendable {
  private typealias Body = (Resolver<Value, Failure>) -> Void

  //   waiting --start--> executing --the work's future is settled--> finished
  //      +---start, cancelled--------------------------------------> finished
  private enum Phase {
    case waiting(PromiseContext, Body, Resolver<Value, Failure>)
    /// With the future that the work settles.
    case executing(Future<Value, Failure>)
    case finished
  }

  /// The future: the same one at any time.
  public let future: Future<Value, Failure>

  private let lock = NSLock()
  private var phase: Phase

  /// Creates an operation that has not started.
  ///
  /// - Parameters:
  ///   - context: where `body` runs; `.immediate` is where the operation is started, and `.nowOr` is never now.
  ///   - body: called at most once, and released then. If it lets go of its resolver, the future is cancelled.
  public init(on context: PromiseContext = .immediate, _ body: @escaping (Resolver<Value, Failure>) -> Void) {
    let (future, resolver) = Future<Value, Failure>.makeWithResolver()
    self.future = future
    phase = .waiting(context, body, resolver)
    super.init()
    resolver.onCancelRequest { [weak self] _ in self?.cancel() }
  }

  /// True: it goes on after `start()` has returned.
  public override var isAsynchronous: Bool { true }

  /// Whether the work has been started and the future is not settled.
  public override var isExecuting: Bool {
    if case .executing = lock.withLock({ phase }) { return true }
    return false
  }

  /// Whether the future is settled, or about to be.
  public override var isFinished: Bool {
    if case .finished = lock.withLock({ phase }) { return true }
    return false
  }

  /// Starts the work. Called by the queue; by hand once at most, what comes later does nothing.
  public override func start() {
    let (inner, work) = Future<Value, Failure>.makeWithResolver()
    let waiting = lock.withLock { () -> Phase? in
      guard case .waiting = phase else { return nil }
      return phase
    }
    guard case .waiting(let context, let body, let resolver) = waiting else { return }
    if isCancelled {
      if change(to: .finished, "isFinished", from: { if case .waiting = $0 { true } else { false } }) {
        resolver.cancel()
      }
      return
    }
    guard change(to: .executing(inner), "isExecuting", from: { if case .waiting = $0 { true } else { false } }) else {
      return
    }
    inner.whenResolved { [weak self] result in
      _ = self?.change(to: .finished, "isExecuting", "isFinished") { if case .executing = $0 { true } else { false } }
      resolver.resolve(result)
    }
    // It may have been cancelled in between.
    if isCancelled { inner.requestCancel() }
    context.runApart { body(work) }
  }

  /// Marks the operation as cancelled, then asks the future to cancel.
  public override func cancel() {
    super.cancel()
    future.requestCancel()
    if case .executing(let inner) = lock.withLock({ phase }) { inner.requestCancel() }
  }

  /// Goes on to the next phase and says so. False if another call did.
  private func change(to next: Phase, _ keys: String..., from isRight: (Phase) -> Bool) -> Bool {
    for key in keys { willChangeValue(forKey: key) }
    // Released outside the lock.
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
