import CPlatform
import Dispatch

/// The main actor as the place of a callback: `on: .main`.
///
///     download.onSuccess(on: .main) { self.label.text = $0 }    // state of the main actor, without a hop
///
/// The closure is `@MainActor`. It runs on the main queue, or on the replacement that
/// `PromiseContext.useMainExecutor(_:isMainThread:)` installed. `PromiseContext.main` is the same place as a value; its
/// closures are `sending`, as those of every other context.
public struct MainContext: Sendable {
  /// The main actor.
  public static let main = MainContext()

  /// The context that runs the callbacks.
  @usableFromInline package var place: PromiseContext { .main }

  // The callbacks without their isolation: only the main context calls them.

  @usableFromInline package func calling<Argument, Result>(
    _ callback: @escaping @MainActor (Argument) -> Result
  ) -> (Argument) -> Result {
    unsafe unsafeBitCast(callback, to: ((Argument) -> Result).self)
  }

  @usableFromInline package func calling<Argument, Result>(
    _ callback: @escaping @MainActor (Argument) throws -> Result
  ) -> (Argument) throws -> Result {
    unsafe unsafeBitCast(callback, to: ((Argument) throws -> Result).self)
  }

  @usableFromInline package func calling<First, Second, Result>(
    _ callback: @escaping @MainActor (First, Second) -> Result
  ) -> (First, Second) -> Result {
    unsafe unsafeBitCast(callback, to: ((First, Second) -> Result).self)
  }

  @usableFromInline package func calling<Result>(_ callback: @escaping @MainActor () -> Result) -> () -> Result {
    unsafe unsafeBitCast(callback, to: (() -> Result).self)
  }

  /// The engine's executor for the main context.
  static let executor = unsafe CellExecutor.making(Context(nil, nil)) { _, job in
    unsafe MainPass.submit(PromiseJob(job))
  }

  /// The last substitute that was installed from Swift, with the rule for the main thread.
  private struct Substitute {
    let executor: HeldExecutor
    let isMainThread: @Sendable () -> Bool
  }

  /// Guarded by PLATFORM_LOCK_MAIN. In use while the engine has this executor as the substitute of its main loop.
  private nonisolated(unsafe) static var substitute: Substitute?

  static func replace(_ executor: (any PromiseExecutor)?, _ isMainThread: @escaping @Sendable () -> Bool) {
    let new = executor.map { Substitute(executor: HeldExecutor($0), isMainThread: isMainThread) }
    // Released outside the lock.
    var old: Substitute?
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    old = unsafe substitute
    unsafe substitute = new
    platform_unlock(Int32(PLATFORM_LOCK_MAIN))
    _ = CellExecutor.replaceMain(new?.executor.cell)
    withExtendedLifetime(old) {}
  }

  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller is on the main thread or the main queue: after `dispatchMain()`, other threads serve the queue.
  static var isCurrent: Bool {
    if unsafe platform_thread().pointee.main_pass != nil { return true }
    guard let installed = CellExecutor.mainSubstitute else {
      return platform_is_main_thread() || DispatchQueue.getSpecific(key: key) == true
    }
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    let own = unsafe substitute
    platform_unlock(Int32(PLATFORM_LOCK_MAIN))
    if let own, own.executor.cell.ref == installed.ref { return own.isMainThread() }
    return CellExecutor.isOnMainThread
  }
}

extension PromiseContext {
  /// Makes `.main` run its callbacks on an executor of your choice instead of the main queue, for programs whose main
  /// thread runs another event loop. Equivalent to `promise_executor_set_main` of the C interface: a call of either
  /// function applies to both languages.
  ///
  /// Not needed where `dispatchMain()`, a run loop or an async `main` serves the main queue. Turns that are already
  /// queued stay where they are; a callback runs in the first turn that comes. Blocks of `Promise.init(_:)` run on the
  /// executor too.
  ///
  /// - Parameters:
  ///   - executor: runs jobs on the main thread, one at a time, in order; `nil` restores the main queue.
  ///   - isMainThread: whether the calling thread is the main thread; `.auto` uses it.
  /// - Thread: the main thread, which `promise_is_main_thread` recognizes from then on.
  public static func useMainExecutor(
    _ executor: (any PromiseExecutor)?, isMainThread: @escaping @Sendable () -> Bool = { platform_is_main_thread() }
  ) {
    MainContext.replace(executor, isMainThread)
  }
}
