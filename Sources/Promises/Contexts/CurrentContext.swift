extension PromiseContext {
  /// The context of the callback that asks, or `.main` outside of any: a callback attached with it runs where the one
  /// ran that attached it.
  ///
  /// Unlike with other contexts it runs at once where the promise is settled at that very place, or is settled already
  /// when the callback is attached.
  public static var current: PromiseContext {
    let target = CellExecutor.running ?? MainContext.executor
    let home = Home(target)
    let executor = unsafe HeldExecutor(home, standingFor: target) { home, job in
      unsafe Unmanaged<Home>.fromOpaque(home!).takeUnretainedValue().submit(job)
    }
    return PromiseContext(.executor(executor), isNowOr: true)
  }
}

/// The executor that a `.current` stands for.
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
