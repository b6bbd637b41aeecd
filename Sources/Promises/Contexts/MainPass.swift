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
  /// Whether a turn is being posted from within the pass.
  private var isPosting = false

  private init(through last: Int) { self.last = last }

  /// Makes a callback due: extends the pass that runs on this thread, or posts a turn.
  static func submit(_ job: PromiseJob) {
    let number = locked { $0.append(job) }
    guard let pass = unsafe current else { return post(number) }
    if unsafe pass.pointee.room > 0 {
      unsafe pass.pointee.room -= 1
      unsafe pass.pointee.last = number
    } else {
      unsafe pass.pointee.isPosting = true
      post(number)
      unsafe pass.pointee.isPosting = false
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
    // A substitute that runs turns within `submit` never yields to others, so its pass needs no limit.
    if let pass = unsafe current, unsafe pass.pointee.isPosting {
      unsafe pass.pointee.last = unsafe max(pass.pointee.last, number)
      unsafe pass.pointee.room = .max
      return
    }
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
  private static func drop(_ number: Int) { locked { $0.remove(number) }?.drop() }

  private static func locked<Result>(_ body: (inout DueJobs) -> Result) -> Result {
    platform_lock(Int32(PLATFORM_LOCK_MAIN))
    defer { platform_unlock(Int32(PLATFORM_LOCK_MAIN)) }
    return unsafe body(&due)
  }

  /// Guarded by PLATFORM_LOCK_MAIN.
  private nonisolated(unsafe) static var due = DueJobs()
}

/// The callbacks that are due, numbered from 1 in the order in which they became due.
private struct DueJobs {
  /// `nil`: removed.
  private var jobs: [PromiseJob?] = []
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
    while start + taken < last {
      let job = jobs[taken]
      advance()
      if let job { return job }
    }
    return nil
  }

  /// Removes the callback with a number; nil if it was taken.
  mutating func remove(_ number: Int) -> PromiseJob? {
    guard number > start + taken else { return nil }
    let job = jobs[number - start - 1]
    jobs[number - start - 1] = nil
    while taken < jobs.count, jobs[taken] == nil { advance() }
    return job
  }

  private mutating func advance() {
    taken += 1
    // Seldom, so that the time for each is constant.
    if 2 * taken >= jobs.count {
      jobs.removeFirst(taken)
      start += taken
      taken = 0
    }
  }
}
