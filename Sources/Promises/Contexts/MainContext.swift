import CPlatform
import Dispatch

/// The main context: where its callbacks go, and the passes that run them.
///
///   a callback is due --(none runs on this thread)--> posted to the main queue --> a pass: it, then
///                     --(one runs on this thread)---> behind it in that pass       what became due in it
enum MainContext {
  /// The engine's executor for it.
  static let executor = unsafe CellExecutor.making(Context(nil, nil)) { _, job in
    if unsafe !MainPass.append(PromiseJob(job)) { unsafe MainContext.post(PromiseJob(job, isMain: true)) }
  }

  /// What stands for the main queue, if something does.
  struct Substitute {
    let executor: any PromiseExecutor
    let isMainThread: @Sendable () -> Bool
  }

  private nonisolated(unsafe) static var substitute: Substitute?

  static func replace(_ new: Substitute?) {
    // Released outside the lock.
    var old: Substitute?
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    old = unsafe substitute
    unsafe substitute = new
    platform_unlock(Int32(PLATFORM_LOCK_MAIN))
    withExtendedLifetime(old) {}
  }

  private static var current: Substitute? {
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    defer { platform_unlock(Int32(PLATFORM_LOCK_MAIN)) }
    return unsafe substitute
  }

  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller is on the main thread, or on the main queue: after `dispatchMain()` other threads serve it.
  static var isCurrent: Bool {
    if unsafe platform_thread().pointee.main_pass != nil { return true }
    if let current { return current.isMainThread() }
    return platform_is_main_thread() || DispatchQueue.getSpecific(key: key) == true
  }

  private static func post(_ job: PromiseJob) {
    if let current {
      current.executor.submit(job)
    } else {
      DispatchQueue.main.async { job.run() }
    }
  }
}

/// One turn of the main context, on the stack of the thread that runs it.
struct MainPass {
  /// What became due while it runs, in order.
  private var due: [PromiseJob] = []

  /// Puts a job behind what is due in the pass that runs on this thread; false if none does.
  static func append(_ job: PromiseJob) -> Bool {
    guard let pass = unsafe platform_thread().pointee.main_pass else { return false }
    unsafe pass.assumingMemoryBound(to: MainPass.self).pointee.due.append(job)
    return true
  }

  /// Runs a job, and what becomes due meanwhile. False if the job was run or dropped before.
  static func run(_ job: Job) -> Bool {
    let thread = unsafe platform_thread()
    // A callback may turn the run loop itself.
    let enclosing = unsafe thread.pointee.main_pass
    var pass = MainPass()
    return unsafe withUnsafeMutablePointer(to: &pass) { here in
      unsafe thread.pointee.main_pass = UnsafeMutableRawPointer(here)
      defer { unsafe thread.pointee.main_pass = unsafe enclosing }
      guard job.run() else { return false }
      while let due = unsafe here.pointee.takeDue() {
        for job in due { job.run() }
      }
      return true
    }
  }

  private mutating func takeDue() -> [PromiseJob]? {
    if due.isEmpty { return nil }
    defer { due = [] }
    return due
  }
}

extension PromiseContext {
  /// Has `.main` run its callbacks by an executor of yours, where nothing serves the main queue: in a program whose main
  /// thread belongs to another loop.
  ///
  /// Nothing of this is needed where `dispatchMain()`, a run loop or an async `main` runs. Callbacks that are on their
  /// way already go where they were going. Blocks of `Promise.init(_:)` go there too.
  ///
  /// - Parameters:
  ///   - executor: runs jobs on the main thread, one at a time, in order; `nil` for the main queue again.
  ///   - isMainThread: whether the calling thread is the main thread; it decides what `.auto` is.
  public static func useMainExecutor(
    _ executor: (any PromiseExecutor)?, isMainThread: @escaping @Sendable () -> Bool = { platform_is_main_thread() }
  ) {
    MainContext.replace(executor.map { MainContext.Substitute(executor: $0, isMainThread: isMainThread) })
  }
}
