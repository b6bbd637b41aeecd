import CPluginEdge
import Dispatch
import Glibc
import Synchronization

/// A thread for jobs that must all run on the same thread, one after the other. It stays until the process ends.
///
/// A thread, not merely an order: handles of some libraries belong to the thread that made them. A serial executor of
/// the engine may run each job on another thread.
///
/// While such a thread waits for a job of another one (`run`, `wait`), it runs the jobs that other waiting threads have
/// for it. So plugins with threads of their own can call each other, at any depth.
public final class SerialThread: Sendable {
  /// A closure that runs once, on the thread.
  public typealias Job = @Sendable () -> Void

  private struct State {
    var hasThread = false
    var waiting: [Job] = []
    /// Jobs that other threads of this kind wait for. At most one for each of these threads.
    var urgent: [Job] = []
  }

  private let state = Mutex(State())
  // Written before the object is shared. A thread that was started keeps the object.
  private nonisolated(unsafe) let ready: UnsafeMutablePointer<sem_t> = .allocate(capacity: 1)

  /// The lane: calls with this number also share one thread in a worker. 0: they may run on any thread there.
  private let lane: UInt64

  private static let lanes = Atomic<UInt64>(0)

  /// Creates the object; the thread starts with the first job.
  ///
  /// - Parameter extendsToWorkers: whether the calls that jobs make of a plugin in worker processes all run on one
  ///   thread of one worker. Calls that plugins make in those calls do not.
  public init(extendsToWorkers: Bool = false) {
    lane = extendsToWorkers ? Self.lanes.add(1, ordering: .relaxed).newValue : 0
    sem_init(ready, 0, 0)
  }

  deinit {
    sem_destroy(ready)
    ready.deallocate()
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    // Without the key no thread counts as one of this kind. pthread_key_create() fails only after 1024 keys.
    return pthread_key_create(&key, nil) == 0 ? key : .max
  }()

  /// The object of the calling thread.
  private static var current: SerialThread? {
    pthread_getspecific(key).map { Unmanaged<SerialThread>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Whether the calling thread is this one.
  public var isCurrent: Bool { Self.current === self }

  /// The number of the calling thread in workers, which run all calls of one number on one thread; 0: any thread.
  static var currentLane: UInt64 { current?.lane ?? 0 }

  /// Runs a job on the thread, after the jobs before it. Does not wait.
  public func post(_ job: @escaping Job) {
    state.withLock { $0.waiting.append(job) }
    sem_post(ready)
    guard !start() else { return }
    // No thread could be started: this job runs on the calling thread, and the next one tries again.
    let jobs = state.withLock { state in
      defer { (state.waiting, state.urgent) = ([], []) }
      return state.urgent + state.waiting
    }
    for job in jobs { job() }
  }

  /// Runs a job on the thread. Waits for the job if the calling thread is a `SerialThread`; on the thread itself, the
  /// job runs at once.
  public func run(_ job: @escaping Job) {
    guard let caller = Self.current else { return post(job) }
    guard caller !== self, start() else { return job() }
    let end = End()
    state.withLock { state in
      state.urgent.append {
        job()
        end.isReached.store(true, ordering: .releasing)
        sem_post(caller.ready)
      }
    }
    sem_post(ready)
    while !end.isReached.load(ordering: .acquiring) {
      if let job = caller.takeUrgent() { job() } else { caller.sleep() }
    }
  }

  /// Runs a closure on the thread, after the jobs before it, and waits for it.
  public func wait<Value: Sendable, Failure>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let outcome = Outcome<Value, Failure>()
    let isOther = Self.current == nil
    run {
      do throws(Failure) {
        outcome.result = .success(try body())
      } catch {
        outcome.result = .failure(error)
      }
      if isOther { sem_post(outcome.ended) }
    }
    while isOther, sem_wait(outcome.ended) != 0 {}
    guard let result = outcome.result else { preconditionFailure("the job has not run") }
    return try result.get()
  }

  /// Runs a job on the thread, after the jobs before it, and waits for it. At the deadline, it gives up a job that has
  /// not begun: the job never runs then. The calling thread must not be one that this thread may wait for.
  ///
  /// - Returns: whether the job has run.
  func wait(deadline: DispatchTime, _ job: @escaping Job) -> Bool {
    if isCurrent {
      job()
      return true
    }
    let turn = Turn()
    post {
      guard turn.take() else { return }
      job()
      turn.ended.signal()
    }
    if turn.ended.wait(timeout: deadline) == .success { return true }
    if turn.take() { return false }
    turn.ended.wait()
    return true
  }

  /// Starts the thread if it is not running. Returns whether it is running.
  @discardableResult
  public func start() -> Bool {
    state.withLock { state in
      if state.hasThread { return true }
      state.hasThread = ProcessGuard.startThread { [self] in work() }
      return state.hasThread
    }
  }

  private func work() -> Never {
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    var initial = plugin_thread_state()
    while true {
      let job = takeUrgent() ?? state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
      guard let job else {
        sleep()
        continue
      }
      job()
      // Calls of several plugins share the thread.
      if lane != 0 { plugin_thread_restore(&initial) }
    }
  }

  private func takeUrgent() -> Job? { state.withLock { $0.urgent.isEmpty ? nil : $0.urgent.removeFirst() } }

  /// Waits until a job may have been added, or the job that this thread waits for has ended.
  private func sleep() { while sem_wait(ready) != 0 {} }

  /// The right to run a job, or to give it up, which one thread takes.
  private final class Turn: Sendable {
    private let isTaken = Atomic(false)
    let ended = DispatchSemaphore(value: 0)

    /// Returns whether the caller is the first.
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
  }

  /// The end of a job.
  private final class End: Sendable {
    let isReached = Atomic(false)
  }

  /// The outcome of a closure, and the semaphore that is signalled after it.
  private final class Outcome<Value: Sendable, Failure: Error>: Sendable {
    // Written by the job, and read by the thread that waits for its end.
    nonisolated(unsafe) var result: Result<Value, Failure>?
    nonisolated(unsafe) let ended: UnsafeMutablePointer<sem_t> = .allocate(capacity: 1)

    init() { sem_init(ended, 0, 0) }

    deinit {
      sem_destroy(ended)
      ended.deallocate()
    }
  }
}
