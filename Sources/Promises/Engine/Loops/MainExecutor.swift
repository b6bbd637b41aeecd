import CPlatform
import Synchronization

// The main executor: a loop of the library's own, which the main thread turns, or whatever the user has put in its place.

private let mainExecutor = Single()
private let mainLoop = Single()
/// In the loop's place, with a reference. Guarded by PLATFORM_LOCK_MAIN.
nonisolated(unsafe) private var substitute: CellExecutor?
/// The thread that the user said is the main one; 0: the one that the process began with.
private let mainThread = Atomic<UInt64>(0)

private func submitToMain(_ job: UnsafeMutableRawPointer) {
  if let other = CellExecutor.heldSubstitute {
    unsafe other.submit(token: job)
    other.ref.release()
  } else {
    let loop = unsafe EventLoop(address: mainLoop.made)
    unsafe loop.submit(Job(submitted: job))
    // Somebody may have taken the loop's place meanwhile, and looked into the loop too early.
    if let other = CellExecutor.heldSubstitute {
      loop.moveJobs(to: other)
      other.ref.release()
    }
  }
}

extension EventLoop {
  fileprivate func moveJobs(to other: CellExecutor) {
    var waiting = takeJobs()
    // One of them may put another in its place.
    let isHeld = other.ref.retain()
    while let job = waiting.pop() { other.submit(job) }
    if isHeld { other.ref.release() }
  }
}

extension CellExecutor {
  /// Nil without memory, or descriptors for the loop.
  package static var main: CellExecutor? {
    guard unsafe mainLoop.get({ unsafe EventLoop.make()?.address }) != nil else { return nil }
    return unsafe mainExecutor.get { unsafe makePermanent(.main, nil) { unsafe submitToMain($1) } }
      .map { unsafe CellExecutor(permanent: $0) }
  }

  /// Puts another executor in the place of the main loop, or the loop back. What waits in the loop goes there. The
  /// calling thread is the main one from now on. False if there are too many references to the executor.
  package static func replaceMain(_ other: CellExecutor?) -> Bool {
    if let other, !other.ref.retain() { return false }
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    let old = unsafe substitute
    unsafe substitute = other
    platform_unlock(Int32(PLATFORM_LOCK_MAIN))
    mainThread.store(other == nil ? 0 : UInt64(platform_thread_id()), ordering: .relaxed)
    if let other, let address = unsafe mainLoop.made {
      unsafe EventLoop(address: address).moveJobs(to: other)
      unsafe EventLoop(address: address).giveTimersAway()
    }
    old?.ref.release()
    return true
  }

  fileprivate static var heldSubstitute: CellExecutor? {
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    defer { platform_unlock(Int32(PLATFORM_LOCK_MAIN)) }
    guard let other = unsafe substitute, other.ref.retain() else { return nil }
    return other
  }

  /// What stands in the main loop's place, as long as nobody replaces it.
  static var mainSubstitute: CellExecutor? {
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    defer { platform_unlock(Int32(PLATFORM_LOCK_MAIN)) }
    return unsafe substitute
  }

  /// In a child of fork(), whose only thread is the main one.
  static func resumeMain() {
    if mainThread.load(ordering: .relaxed) != 0 { mainThread.store(UInt64(platform_thread_id()), ordering: .relaxed) }
  }

  /// Whether the calling thread is the main one.
  package static var isOnMainThread: Bool {
    let thread = mainThread.load(ordering: .relaxed)
    return thread == 0 ? platform_is_main_thread() : thread == UInt64(platform_thread_id())
  }

  /// The loop whose executor this is, if it is one that keeps jobs itself.
  var ownLoop: EventLoop? {
    guard let address = unsafe loopAddress else { return nil }
    if kind == .main {
      platform_lock(Int32(PLATFORM_LOCK_MAIN))
      defer { platform_unlock(Int32(PLATFORM_LOCK_MAIN)) }
      if unsafe substitute != nil { return nil }
    }
    return unsafe EventLoop(address: address)
  }

  /// The memory of its loop.
  var loopAddress: UnsafeMutableRawPointer? {
    switch kind {
    case .loop: unsafe context
    case .main: unsafe mainLoop.made
    default: nil
    }
  }
}

extension EventLoop {
  /// Whether the main thread is the one that turns it.
  var isMain: Bool { unsafe guarded.address == mainLoop.made }
}
