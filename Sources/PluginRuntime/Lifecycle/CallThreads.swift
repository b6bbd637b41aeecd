import CPluginEdge
import Dispatch
import Synchronization

/// Threads for functions of plugins, which run on the thread that calls them and may block it.
///
/// Each waiting job gets a thread, up to `limit` of them: functions that wait for each other must all run. One thread
/// is woken or started at a time, and wakes or starts the next before it runs its job, so that jobs that end at once
/// share a thread. An idle thread ends after a second. The state of the thread - blocked signals, the locale, the stack
/// for signal handlers - is restored after each job.
///
/// The engine's pool cannot replace it. It runs one job for each processor, adds a thread for a blocked one only after
/// a while, and has at most 512. So functions that wait for each other would be slow, and many of them would be stuck.
/// They would also take the threads on which callbacks of promises run.
public final class CallThreads: Sendable {
  /// A closure that runs once, on one of the threads.
  public typealias Job = @Sendable () -> Void

  /// A job in collections and results. A bare closure would be wrapped anew each time that it passes through a generic
  /// type.
  struct Entry: Sendable {
    let run: Job
  }

  private struct State {
    var threads = 0
    /// The number of threads that wait for a job.
    var sleeping = 0
    var waiting = Fifo<Entry>()
    /// Whether a thread is on its way: it was woken or started, and has not looked for a job yet.
    var isWaking = false

    /// Decides how a waiting job gets its thread.
    mutating func nextWakeup(limit: Int) -> Wakeup {
      guard !waiting.isEmpty, !isWaking else { return .none }
      guard sleeping > 0 || threads < limit else { return .none }
      isWaking = true
      if sleeping > 0 { return .sleeper }
      threads += 1
      return .newThread
    }
  }

  private enum Wakeup {
    /// A thread is on its way, or will be free.
    case none
    case sleeper, newThread
  }

  private let limit: Int
  private let idleTime: DispatchTimeInterval
  /// Starts a thread that runs the body. Returns false if there is none.
  private let startThread: @Sendable (_ body: @escaping Job) -> Bool
  private let state = Mutex(State())
  /// Signalled for each thread that is woken.
  private let wakeup = DispatchSemaphore(value: 0)

  /// Creates an empty pool; threads start on demand.
  public convenience init(limit: Int) { self.init(limit: limit, idleTime: .seconds(1)) }

  init(
    limit: Int, idleTime: DispatchTimeInterval = .seconds(1),
    startThread: @escaping @Sendable (_ body: @escaping Job) -> Bool = { ProcessGuard.startThread($0) }
  ) {
    (self.limit, self.idleTime, self.startThread) = (limit, idleTime, startThread)
  }

  /// The number of threads, with and without a job.
  var count: Int { state.withLock(\.threads) }
  /// The number of threads that wait for a job.
  var sleeping: Int { state.withLock(\.sleeping) }

  /// Runs a job on a thread of its own, or, if all `limit` threads are busy, on the first that becomes free. The thread
  /// also releases the job after it has run, and with it the objects that the job alone holds. Without any thread, the
  /// caller runs and releases the job.
  public func run(_ job: consuming @escaping Job) { add(Entry(run: consume job), runsHere: true) }

  /// Runs a job with a value, and releases the value on the job's thread: its objects of the program may take long to
  /// end. The caller may release the captures of `body` last, so objects of the program belong into the value.
  func run<Value: Sendable>(with value: consuming Value, _ body: @escaping @Sendable (Value) -> Void) {
    // Passed on from a variable: the caller keeps the captures of a closure that it passes on from a capture list.
    let job: Job = { [value = consume value] in body(value) }
    run(consume job)
  }

  /// Releases a value on one of the threads.
  func release<Value: Sendable>(_ value: consuming Value) { run(with: consume value) { _ in } }

  /// Releases the elements of a collection on one of the threads.
  func release<Values: Collection & Sendable>(all values: consuming Values) {
    if !values.isEmpty { release(consume values) }
  }

  /// Runs a job as `run` does, but never on the calling thread: returns false, and releases the job, if no thread is
  /// idle and none can be started. Only for a pool whose jobs are all added by this, one at a time.
  func runElsewhere(_ job: consuming @escaping Job) -> Bool { add(Entry(run: consume job), runsHere: false) }

  @discardableResult
  private func add(_ entry: consuming Entry, runsHere: Bool) -> Bool {
    // Moved into the queue: with a copy, the caller could release the job last.
    var moved = Optional(consume entry)
    let next = state.withLock { state in
      if let entry = moved.take() { state.waiting.append(entry) }
      return state.nextWakeup(limit: limit)
    }
    return perform(next, runsHere: runsHere)
  }

  /// Wakes or starts a thread. Returns false if there is none for the last job, which was removed.
  @discardableResult
  private func perform(_ next: Wakeup, runsHere: Bool = true) -> Bool {
    switch next {
    case .none: break
    case .sleeper: wakeup.signal()
    case .newThread: return startThread({ [self] in work() }) || continueWithoutThread(runsHere: runsHere)
    }
    return true
  }

  /// Continues after a thread could not be started. A sleeping thread is woken. Otherwise the last job is removed, and
  /// false is returned, or, if jobs run here: busy threads take the jobs when they are free; without any, the caller
  /// runs them.
  private func continueWithoutThread(runsHere: Bool) -> Bool {
    state.withLock { ($0.threads, $0.isWaking) = ($0.threads - 1, false) }
    while true {
      let (entry, next) = state.withLock { state -> (Entry?, Wakeup) in
        if state.sleeping > 0 || state.waiting.isEmpty { return (nil, state.nextWakeup(limit: limit)) }
        if !runsHere { return (state.waiting.popLast(), .none) }
        return (state.threads == 0 ? state.waiting.popFirst() : nil, .none)
      }
      perform(next)
      guard let entry else { return true }
      if !runsHere { return false }
      entry.run()
    }
  }

  private func work() {
    var initial = plugin_thread_state()
    var next = takeAndWakeNext(isOver: false, wasSleeping: false).entry
    while true {
      while next != nil {
        Self.runAndRelease(&next)
        plugin_thread_restore(&initial)
        next = take()
      }
      guard let entry = sleep() else { return }
      next = entry
    }
  }

  /// Runs a job and releases it, which may take long, while the thread still counts as busy.
  private static func runAndRelease(_ entry: inout Entry?) { entry.take()?.run() }

  /// Takes the next job for a thread whose job has ended.
  private func take() -> Entry? {
    state.withLock { state in
      let entry = state.waiting.popFirst()
      if entry == nil { state.sleeping += 1 }
      return entry
    }
  }

  /// Waits for a job; `nil` if the thread is to end. The thread has been counted as sleeping.
  private func sleep() -> Entry? {
    while true {
      let isOver = wakeup.wait(timeout: .now() + idleTime) == .timedOut
      let (entry, ends) = takeAndWakeNext(isOver: isOver, wasSleeping: true)
      if entry != nil || ends { return entry }
    }
  }

  /// Takes a job for a thread that was woken or started, and wakes or starts the next thread.
  private func takeAndWakeNext(isOver: Bool, wasSleeping: Bool) -> (entry: Entry?, ends: Bool) {
    let (entry, ends, next) = state.withLock { state -> (Entry?, Bool, Wakeup) in
      state.isWaking = false
      let entry = state.waiting.popFirst()
      if wasSleeping, entry != nil || isOver { state.sleeping -= 1 }
      if !wasSleeping, entry == nil { state.sleeping += 1 }
      if entry == nil, isOver { state.threads -= 1 }
      return (entry, entry == nil && isOver, state.nextWakeup(limit: limit))
    }
    perform(next)
    return (entry, ends)
  }
}
