import CPlatform

// A pool of threads that run jobs.
//
// A pool runs as many jobs at a time as it is wide: the number of processors available to the process, or one for the
// callbacks of timers. Blocked threads do not count: another thread takes their place. Blocking is detected
//
//   at once          where the engine itself makes the thread sleep (promise_wait), from `beginBlocking`;
//   within 5-10 ms   otherwise: while jobs are queued, the clock's thread examines each worker every 5 ms (`relieve`).
//                    A worker that has the same job twice, and sleeps according to the kernel, is stuck. So is one that
//                    delays other timers for 100 ms, whether it sleeps or not.
//
//             take a job                   sleeps, and is detected
//   [ idle ] -----------> [ running ] <------------------------------> [ blocked or stuck ]
//      |    <-----------
//      |     no job is queued, or enough others run
//      v  a second without a job
//   [ ends ]
//
// So blocked jobs delay the others by milliseconds, and computing threads are not joined by others that would only
// compete for processors. Everything is guarded by the monitor. `coming` counts the workers on their way to a job, so
// that only one is woken or started for each.

/// The urgency of a job; higher values are more urgent.
package enum PoolPriority: Int {
  case background, utility, standard, userInitiated, userInteractive
  package static var count: Int { 5 }
}

@safe
struct Pool {
  let guarded: Guarded<State>

  @unsafe
  struct State {
    /// One queue for each priority.
    let queues: UnsafeMutablePointer<JobQueue>
    let width: Int
    let isForTimers: Bool
    var workers: UnsafeMutablePointer<PoolWorker>?
    var waiting = 0
    var threads = 0
    var idle = 0
    /// Wake-up calls for idle workers; each call is answered by one of them.
    var calls = 0
    var coming = 0
    /// Workers that run a job and sleep.
    var asleep = 0
    var picks = 0
    /// The number of jobs ever submitted.
    var submitted = 0
  }

  /// The maximum number of threads of a pool. Beyond it jobs wait for a worker that becomes free.
  static var limit: Int { 512 }
  /// The time after which a thread without a job exits: a second.
  static var patience: Int64 { 1_000_000_000 }

  /// The pool of the global executors. Nil when memory has run out.
  static var shared: Pool? {
    prepare(sharedPool)
    return unsafe sharedPool.get { unsafe make(width: Int(platform_processors()), isForTimers: false) }
      .map { unsafe Pool(address: $0) }
  }

  /// The pool for the callbacks of timers, which run in the order of their deadlines, one at a time unless a callback
  /// takes long.
  static var timers: Pool? {
    prepare(timerPool)
    return unsafe timerPool.get { unsafe make(width: 1, isForTimers: true) }.map { unsafe Pool(address: $0) }
  }

  /// Singletons are never created while a monitor is held, so the clock that a pool calls is created before the pool.
  @inline(__always)
  private static func prepare(_ pool: borrowing Single) {
    if unsafe pool.made == nil { _ = Clock.shared }
  }

  /// Examines the workers of all pools. False if no job is queued.
  static func relieveAll() {
    if let shared = unsafe sharedPool.made { unsafe Pool(address: shared).relieve() }
    if let timers = unsafe timerPool.made { unsafe Pool(address: timers).relieve() }
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

  /// Submits a job. False if the pool has no thread and none can be started.
  func submit(_ job: Job, _ priority: PoolPriority = .standard) -> Bool {
    var jobs = JobQueue()
    jobs.push(job)
    return submit(jobs, priority)
  }

  /// Submits jobs, in their order.
  func submit(_ jobs: JobQueue, _ priority: PoolPriority = .standard) -> Bool {
    unsafe guarded.locked { state in
      unsafe state.pointee.queues[priority.rawValue].append(jobs)
      unsafe state.pointee.waiting += jobs.count
      unsafe state.pointee.submitted &+= jobs.count
      unsafe balance()
      guard unsafe state.pointee.threads == 0 else { return true }
      // No other job can be queued: it would have been refused, too.
      unsafe state.pointee.queues[priority.rawValue] = JobQueue()
      unsafe state.pointee.waiting = 0
      return false
    }
  }

  /// Wakes or starts workers while queued jobs have none, and fewer jobs run than allowed. Call with the monitor held.
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

  /// Removes and returns the next job that may run now; nil without one. Call with the monitor held.
  @unsafe
  func pick() -> Job? {
    guard unsafe state.pointee.waiting > 0,
      unsafe state.pointee.threads - state.pointee.idle - state.pointee.asleep <= state.pointee.width
    else { return nil }
    // Every sixteenth job is taken from the least urgent ones, so that they do not starve.
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
  /// Resets the pool in a child of fork(): the queued jobs belong to the parent, and the only worker that exists is the
  /// one whose job called fork(), if any.
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

  /// The number of jobs submitted to the pools; nil if one is queued, or runs on a thread other than the calling one.
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
  /// The pool's executor for a priority; nil when memory has run out.
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
