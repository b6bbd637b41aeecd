import CPlatform

// Threads that run jobs.
//
// A pool lets as many jobs run as it is wide: as many as the process may use processors, or one, for the callbacks of
// timers. A thread that blocks does not count: another takes its place. That a thread blocks is known
//
//   at once          where the engine itself makes it sleep (promise_wait), from `beginBlocking`;
//   within 5-10 ms   otherwise: while jobs wait, the clock's thread looks at each worker every 5 ms (`relieve`). One
//                    that was found with the same job twice, and that the kernel says sleeps, is stuck. So is one that
//                    holds up other timers for 100 ms, whatever it does.
//
//             take a job                   sleeps, and is known to
//   [ idle ] -----------> [ running ] <------------------------------> [ blocked or stuck ]
//      |    <-----------
//      |     no job waits, or enough others run
//      v  a second without a job
//   [ ends ]
//
// So blocked work holds up the rest for milliseconds, and threads that compute are not joined by others that would only
// compete with them. Who may touch what: everything is guarded by the monitor. `coming` counts workers on their way to
// a job, so that no second one is called for the same.

/// How urgent a job is: the more, the higher.
package enum PoolPriority: Int {
  case background, utility, standard, userInitiated, userInteractive
  package static var count: Int { 5 }
}

@safe
struct Pool {
  let guarded: Guarded<State>

  @unsafe
  struct State {
    /// One for each priority.
    let queues: UnsafeMutablePointer<JobQueue>
    let width: Int
    let isForTimers: Bool
    var workers: UnsafeMutablePointer<PoolWorker>?
    var waiting = 0
    var threads = 0
    var idle = 0
    /// Idle workers that were called: each call is answered by one of them.
    var calls = 0
    var coming = 0
    /// Workers that run a job and sleep.
    var asleep = 0
    var picks = 0
    /// How many jobs there have been.
    var submitted = 0
  }

  /// The most threads that a pool has. Beyond it, jobs wait until one ends.
  static var limit: Int { 512 }
  /// How long a thread stays without a job: a second.
  static var patience: Int64 { 1_000_000_000 }

  /// For the global executors. Nil when there is no memory for it.
  static var shared: Pool? {
    prepare(sharedPool)
    return unsafe sharedPool.get { unsafe make(width: Int(platform_processors()), isForTimers: false) }
      .map { unsafe Pool(address: $0) }
  }

  /// For what timers do: in the order of their times, one at a time unless one takes its time.
  static var timers: Pool? {
    prepare(timerPool)
    return unsafe timerPool.get { unsafe make(width: 1, isForTimers: true) }.map { unsafe Pool(address: $0) }
  }

  /// Nothing is set up within a monitor, so the clock that a pool is going to call is there before it.
  @inline(__always)
  private static func prepare(_ pool: borrowing Single) {
    if unsafe pool.made == nil { _ = Clock.shared }
  }

  /// Looks for stuck workers of the pools that there are. False if no job waits.
  static func relieveAll() -> Bool {
    var goesOn = false
    if let shared = unsafe sharedPool.made, unsafe Pool(address: shared).relieve() { goesOn = true }
    if let timers = unsafe timerPool.made, unsafe Pool(address: timers).relieve() { goesOn = true }
    return goesOn
  }

  private static func make(width: Int, isForTimers: Bool) -> UnsafeMutableRawPointer? {
    guard let memory = unsafe calloc(PoolPriority.count, MemoryLayout<JobQueue>.stride) else { return nil }
    let queues = unsafe memory.bindMemory(to: JobQueue.self, capacity: PoolPriority.count)
    let state = unsafe State(queues: queues, width: width, isForTimers: isForTimers)
    if let pool = unsafe Guarded<State>.make(state, comesFirst: true, inChild: { unsafe Pool(address: $0).forget() }) {
      return unsafe pool.address
    }
    unsafe platform_free(memory)
    return nil
  }

  init(address: UnsafeMutableRawPointer) { unsafe guarded = unsafe Guarded(address: address) }

  var monitor: Monitor { unsafe guarded.monitor }
  var state: UnsafeMutablePointer<State> { unsafe guarded.state }

  /// Adds a job. False if there is no thread, and none to be had.
  func submit(_ job: Job, _ priority: PoolPriority = .standard) -> Bool {
    var jobs = JobQueue()
    jobs.push(job)
    return submit(jobs, priority)
  }

  /// Adds jobs, in their order.
  func submit(_ jobs: JobQueue, _ priority: PoolPriority = .standard) -> Bool {
    unsafe guarded.locked { state in
      unsafe state.pointee.queues[priority.rawValue].append(jobs)
      unsafe state.pointee.waiting += jobs.count
      unsafe state.pointee.submitted &+= jobs.count
      unsafe balance()
      guard unsafe state.pointee.threads == 0 else { return true }
      // No other job can be here: they would have been refused too.
      unsafe state.pointee.queues[priority.rawValue] = JobQueue()
      unsafe state.pointee.waiting = 0
      return false
    }
  }

  /// Calls workers while jobs wait that nobody is coming for and fewer run than may. The monitor is held.
  @unsafe
  func balance() {
    while unsafe state.pointee.waiting > state.pointee.coming
      && state.pointee.threads - state.pointee.idle - state.pointee.asleep < state.pointee.width
    {
      if unsafe state.pointee.idle > 0 {
        unsafe state.pointee.idle -= 1
        unsafe state.pointee.calls += 1
        monitor.wakeOne()
      } else {
        guard unsafe state.pointee.threads < Pool.limit, unsafe PoolWorker.start(self) else { break }
        unsafe state.pointee.threads += 1
      }
      unsafe state.pointee.coming += 1
    }
    if unsafe state.pointee.waiting > state.pointee.coming { Clock.made?.watchPools() }
  }

  /// The next job, if one waits and it may run. The monitor is held.
  @unsafe
  func pick() -> Job? {
    guard unsafe state.pointee.waiting > 0,
      unsafe state.pointee.threads - state.pointee.idle - state.pointee.asleep <= state.pointee.width
    else { return nil }
    // One job in sixteen is of the least urgent ones, so that they are not left to wait for ever.
    unsafe state.pointee.picks &+= 1
    let isForTheLast = unsafe state.pointee.picks & 15 == 0
    for step in 0..<PoolPriority.count {
      let priority = isForTheLast ? step : PoolPriority.count - 1 - step
      if let job = unsafe state.pointee.queues[priority].pop() {
        unsafe state.pointee.waiting -= 1
        return job
      }
    }
    return nil
  }
}

extension Pool {
  /// In a child of fork(): its jobs are the parent's, and its threads are not there, but for one that forked in a job.
  fileprivate func forget() {
    unsafe guarded.locked { state in
      for priority in 0..<PoolPriority.count { unsafe state.pointee.queues[priority] = JobQueue() }
      unsafe state.pointee.waiting = 0
      unsafe state.pointee.coming = 0
      unsafe state.pointee.idle = 0
      unsafe state.pointee.calls = 0
      unsafe state.pointee.workers = unsafe PoolWorker.current(of: self)
      unsafe state.pointee.workers?.pointee.becomeOnlyOne()
      unsafe state.pointee.threads = unsafe state.pointee.workers == nil ? 0 : 1
      unsafe state.pointee.asleep = unsafe state.pointee.workers?.pointee.isAsleep == true ? 1 : 0
    }
  }

  /// How many jobs the pools have been given; nil if one waits, or runs on another thread than the calling one.
  static var submittedToIdle: Int? {
    guard let shared = submittedToIdle(sharedPool), let timers = submittedToIdle(timerPool) else { return nil }
    return shared &+ timers
  }

  private static func submittedToIdle(_ pool: borrowing Single) -> Int? {
    guard let made = unsafe pool.made else { return 0 }
    return unsafe Pool(address: made).submittedToIdle
  }
}

private let sharedPool = Single()
private let timerPool = Single()

extension CellExecutor {
  /// The pool's executor for a priority; nil when there is no memory for it.
  package static func global(_ priority: PoolPriority) -> CellExecutor? {
    let made =
      switch priority {
      case .background: unsafe backgroundExecutor.get { unsafe makeGlobal(priority) }
      case .utility: unsafe utilityExecutor.get { unsafe makeGlobal(priority) }
      case .standard: unsafe standardExecutor.get { unsafe makeGlobal(priority) }
      case .userInitiated: unsafe userInitiatedExecutor.get { unsafe makeGlobal(priority) }
      case .userInteractive: unsafe userInteractiveExecutor.get { unsafe makeGlobal(priority) }
      }
    return unsafe made.map { unsafe CellExecutor(permanent: $0) }
  }

  private static func makeGlobal(_ priority: PoolPriority) -> UnsafeMutableRawPointer? {
    unsafe makePermanent(.pool, UnsafeMutableRawPointer(bitPattern: priority.rawValue)) { priority, job in
      let job = unsafe Job(submitted: job)
      if let pool = Pool.shared, pool.submit(job, PoolPriority(rawValue: Int(bitPattern: priority)) ?? .standard) {
        return
      }
      _ = job.drop()
    }
  }
}

private let backgroundExecutor = Single()
private let utilityExecutor = Single()
private let standardExecutor = Single()
private let userInitiatedExecutor = Single()
private let userInteractiveExecutor = Single()
