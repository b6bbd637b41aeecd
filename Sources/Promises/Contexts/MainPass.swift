import CPlatform
import Dispatch

/// A turn of the main context, on the stack of the thread that runs it.
///
///     a callback is due --> numbered in the list of due callbacks
///                           --(no pass on this thread, or it is full)--> a turn is posted to the main queue
///                           --(a pass runs on this thread)-------------> that pass is extended up to it
///
/// A pass runs the callbacks of the list, oldest first, up to the one for which its turn was posted, and further up to
/// the last one that became due on its thread meanwhile. So callbacks run in the order in which they became due, and a
/// chain ends in one turn. A turn runs nothing if an earlier one has run its callback.
struct MainPass {
  /// The number of callbacks by which a pass is extended. Then a turn is posted, so that other blocks on the main queue
  /// run too.
  private static let limit = 1_000

  /// The number of the last callback to run.
  private var last: Int
  private var room = MainPass.limit

  private init(through last: Int) { self.last = last }

  /// Makes a callback due: extends the pass that runs on this thread, or posts a turn.
  static func submit(_ job: PromiseJob) {
    let number = locked { $0.append(job) }
    if let pass = unsafe current, unsafe pass.pointee.room > 0 {
      unsafe pass.pointee.room -= 1
      unsafe pass.pointee.last = number
    } else {
      post(number)
    }
  }

  private static var current: UnsafeMutablePointer<MainPass>? {
    unsafe platform_thread().pointee.main_pass?.assumingMemoryBound(to: MainPass.self)
  }

  /// Posts a turn for a callback to the main queue, or to its substitute.
  private static func post(_ number: Int) {
    guard let other = CellExecutor.heldSubstitute else { return DispatchQueue.main.async { run(through: number) } }
    let turn = unsafe Job.task(
      on: other, { MainPass.run(through: Int(bitPattern: $0)) }, dropped: { MainPass.drop(Int(bitPattern: $0)) },
      UnsafeMutableRawPointer(bitPattern: number))
    if let turn { other.submit(turn) } else { drop(number) }
    other.ref.release()
  }

  private static func run(through number: Int) {
    let thread = unsafe platform_thread()
    // A callback may run the run loop itself, which starts a nested pass.
    let enclosing = unsafe thread.pointee.main_pass
    var pass = MainPass(through: number)
    unsafe withUnsafeMutablePointer(to: &pass) { here in
      unsafe thread.pointee.main_pass = UnsafeMutableRawPointer(here)
      defer { unsafe thread.pointee.main_pass = unsafe enclosing }
      while let job = locked({ unsafe $0.pop(through: here.pointee.last) }) { job.run() }
    }
  }

  /// Drops the callback of a turn that the substitute dropped.
  private static func drop(_ number: Int) { locked { $0[number] }?.drop() }

  private static func locked<Result>(_ body: (inout DueJobs) -> Result) -> Result {
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    defer { platform_unlock(Int32(PLATFORM_LOCK_MAIN)) }
    return unsafe body(&due)
  }

  /// Guarded by PLATFORM_LOCK_MAIN.
  private nonisolated(unsafe) static var due = DueJobs()
}

/// The callbacks that are due, numbered from 1 in the order in which they became due. One that was dropped keeps its
/// number; running its job is a no-op.
private struct DueJobs {
  private var jobs: [PromiseJob] = []
  /// The number of callbacks at the front of `jobs` that were taken.
  private var taken = 0
  /// The number of the callback before `jobs`.
  private var start = 0

  mutating func append(_ job: PromiseJob) -> Int {
    jobs.append(job)
    return start + jobs.count
  }

  /// Takes the oldest callback if its number is at most `last`.
  mutating func pop(through last: Int) -> PromiseJob? {
    guard start + taken < last else { return nil }
    let job = jobs[taken]
    taken += 1
    // Seldom, so that the time for each is constant.
    if 2 * taken >= jobs.count {
      jobs.removeFirst(taken)
      start += taken
      taken = 0
    }
    return job
  }

  /// The callback with a number; nil if it was taken.
  subscript(_ number: Int) -> PromiseJob? { number <= start + taken ? nil : jobs[number - start - 1] }
}
