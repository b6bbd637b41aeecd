import CPlatform
import Synchronization

// The main executor: a built-in loop turned by the main thread, or the user's substitute for it.

private let mainExecutor = Single()
private let mainLoop = Single()
/// The substitute for the loop and for the main queue of the typed layer, with a reference. Guarded by
/// PLATFORM_LOCK_MAIN.
nonisolated(unsafe) private var substitute: CellExecutor?
/// The thread that the user declared to be the main one; 0: the initial thread of the process.
private let mainThread = Atomic<UInt64>(0)

private func submitToMain(_ job: UnsafeMutableRawPointer) {
  if let other = CellExecutor.heldSubstitute {
    unsafe other.submit(token: job)
    other.ref.release()
  } else {
    let loop = unsafe EventLoop(address: mainLoop.made)
    unsafe loop.submit(Job(submitted: job))
    // A substitute may have been installed meanwhile, and may have moved the loop's jobs before this one arrived.
    if let other = CellExecutor.heldSubstitute {
      loop.moveJobs(to: other)
      other.ref.release()
    }
  }
}

extension EventLoop {
  fileprivate func moveJobs(to other: CellExecutor) {
    var waiting = takeJobs()
    // One of the jobs may install another substitute.
    let isHeld = other.ref.retain()
    while let job = waiting.pop() { other.submit(job) }
    if isHeld { other.ref.release() }
  }
}

extension CellExecutor {
  /// The main executor; nil when memory, or descriptors for the loop, have run out.
  package static var main: CellExecutor? {
    guard unsafe mainLoop.get({ unsafe EventLoop.make()?.address }) != nil else { return nil }
    return unsafe mainExecutor.get { unsafe makePermanent(.main, nil) { unsafe submitToMain($1) } }
      .map { unsafe CellExecutor(permanent: $0) }
  }

  /// Installs a substitute for the main loop, or removes it with nil. Jobs queued in the loop move to the substitute.
  /// The calling thread becomes the main one. False if the executor has too many references.
  package static func replaceMain(_ other: CellExecutor?) -> Bool {
    if let other, !other.ref.retain() { return false }
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    let old = unsafe substitute
    unsafe substitute = other
    platform_unlock(Int32(PLATFORM_LOCK_MAIN))
    mainThread.store(UInt64(platform_thread_id()), ordering: .relaxed)
    if let other, let address = unsafe mainLoop.made {
      unsafe EventLoop(address: address).moveJobs(to: other)
      unsafe EventLoop(address: address).moveTimersToClock()
    }
    old?.ref.release()
    return true
  }

  /// The substitute, with a reference for the caller.
  static var heldSubstitute: CellExecutor? {
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    defer { platform_unlock(Int32(PLATFORM_LOCK_MAIN)) }
    guard let other = unsafe substitute, other.ref.retain() else { return nil }
    return other
  }

  /// The substitute, without a reference: valid until it is replaced.
  static var mainSubstitute: CellExecutor? {
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    defer { platform_unlock(Int32(PLATFORM_LOCK_MAIN)) }
    return unsafe substitute
  }

  /// Makes the only thread of a child of fork() the main one.
  static func resumeMain() {
    if mainThread.load(ordering: .relaxed) != 0 { mainThread.store(UInt64(platform_thread_id()), ordering: .relaxed) }
  }

  /// Whether the calling thread is the main one.
  package static var isOnMainThread: Bool {
    let thread = mainThread.load(ordering: .relaxed)
    return thread == 0 ? platform_is_main_thread() : thread == UInt64(platform_thread_id())
  }

  /// The loop that queues this executor's jobs itself; nil for other executors, and for the main one while it is
  /// substituted.
  var ownLoop: EventLoop? {
    guard let address = unsafe loopAddress else { return nil }
    if kind == .main {
      platform_lock(Int32(PLATFORM_LOCK_MAIN))
      defer { platform_unlock(Int32(PLATFORM_LOCK_MAIN)) }
      if unsafe substitute != nil { return nil }
    }
    return unsafe EventLoop(address: address)
  }

  /// The memory of the executor's loop.
  var loopAddress: UnsafeMutableRawPointer? {
    switch kind {
    case .loop: unsafe context
    case .main: unsafe mainLoop.made
    default: nil
    }
  }
}

extension EventLoop {
  /// Whether this is the main loop.
  var isMain: Bool { unsafe guarded.address == mainLoop.made }
}
