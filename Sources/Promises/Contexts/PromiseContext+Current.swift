extension PromiseContext {
  /// The context of the running callback, or `.main` outside a callback. A callback attached with it runs in the same
  /// context as the code that attached it.
  ///
  /// Unlike with other contexts, the callback runs inline if the promise is settled on that same executor, or was
  /// settled before the callback was attached.
  public static var current: PromiseContext {
    let target = CellExecutor.running ?? MainContext.executor
    let home = Home(target)
    let executor = unsafe HeldExecutor(home, standingFor: target) { home, job in
      unsafe Unmanaged<Home>.fromOpaque(home!).takeUnretainedValue().submit(job)
    }
    return PromiseContext(.executor(executor), isNowOr: true)
  }
}

/// The executor behind `.current`: runs a job inline if the target is already running on this thread, and otherwise
/// submits it to the target.
private final class Home: Sendable {
  private let target: CellExecutor
  private let isHeld: Bool

  init(_ target: CellExecutor) {
    self.target = target
    isHeld = target.ref.retain()
  }

  deinit { if isHeld { target.ref.release() } }

  private var isHere: Bool {
    guard let running = CellExecutor.running else {
      return target.isSame(as: MainContext.executor) && MainContext.isCurrent
    }
    return running.isSame(as: target)
  }

  func submit(_ job: UnsafeMutableRawPointer) {
    if isHere { unsafe PromiseJob(job).run() } else { unsafe target.submit(token: job) }
  }
}
