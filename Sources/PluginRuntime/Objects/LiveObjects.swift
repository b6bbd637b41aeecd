import CPromise
import Dispatch
import Synchronization

/// The objects of a host that are not destroyed.
///
/// Destructors run one at a time, in the order in which the last references were released, on a thread of the library's
/// pool: never on the thread that releases, which may be inside a call or hold a lock. Destructors of a plugin with a
/// thread of its own run on that thread. `close()` waits for them.
final class LiveObjects: Sendable {
  typealias Report = @Sendable (_ plugin: String, _ message: String) -> Void

  private struct State {
    var count = 0
    /// The live objects by the number of their creation.
    var lives: [Int: ObjectLife] = [:]
    var isClosed = false
    /// Whether the time for destructors is over: none is called any more.
    var isOver = false
    /// The number of objects whose destructors are due.
    var ending = 0
    /// The running destructors.
    var running: [ObjectIdentifier: Destructor] = [:]
    /// A serial executor. Released by `close()`: the plans of calls, which are never freed, hold the live objects.
    var executor = UInt(bitPattern: promise_executor_serial(nil))
  }

  private let state = Mutex(State())
  private let report: Report
  private let ending: @Sendable (_ plugin: String, _ body: () -> Void) -> Void
  /// Signalled when the last destructor has run after `close()` was called.
  private let idle = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - ending: runs the body, which calls a destructor.
  ///   - report: receives the fault of a destructor that does not return.
  init(ending: @escaping @Sendable (_ plugin: String, _ body: () -> Void) -> Void, report: @escaping Report) {
    self.ending = ending
    self.report = report
  }

  deinit { releaseExecutor() }

  /// Takes over an object: the host owns it from now on.
  func own(_ address: UInt, named name: String, _ destructor: Destructor, from sources: [any ObjectSource])
    -> PluginObject
  {
    let life = ObjectLife(PluginPointer(name: name, address: address), destructor)
    let number = state.withLock { state in
      state.count += 1
      state.lives[state.count] = life
      return state.count
    }
    return PluginObject(life, number, in: self, from: sources)
  }

  /// Destroys an object that a function has returned and that was not passed on to a caller.
  func discard(_ address: UInt, named name: String, _ destructor: Destructor) {
    _ = own(address, named: name, destructor, from: [])
  }

  /// Ends an object whose last reference was released. Its sources are released after its destructor has run.
  func drop(_ life: ObjectLife, _ number: Int, keeping sources: [any ObjectSource]) {
    let isOpen = state.withLock { state in
      state.lives[number] = nil
      if !state.isClosed { state.ending += 1 }
      return !state.isClosed
    }
    // After close() no plugin code is entered.
    if isOpen { end(life, keeping: sources) }
  }

  /// Destroys every object that no call uses, the last made first, and waits until that is done. No destructor is
  /// called after the deadline.
  ///
  /// - Returns: the ids of the plugins whose destructors have not returned by the deadline.
  func close(deadline: Duration) -> Set<String> {
    let lives = state.withLock { state in
      defer { (state.lives, state.isClosed) = ([:], true) }
      state.ending += state.lives.count
      return state.lives.sorted { $0.key > $1.key }.map(\.value)
    }
    for life in lives { end(life, keeping: []) }
    let time = DispatchTime.now() + deadline.interval
    while state.withLock({ $0.ending > 0 }) {
      guard idle.wait(timeout: time) == .timedOut else { continue }
      return state.withLock { state in
        state.isOver = true
        return Set(state.running.values.map(\.plugin))
      }
    }
    releaseExecutor()
    return []
  }

  private func releaseExecutor() {
    let executor = state.withLock { state in
      defer { state.executor = 0 }
      return state.executor
    }
    promise_executor_release(OpaquePointer(bitPattern: executor))
  }

  /// Submits the object's destructor, unless a call has released the object.
  private func end(_ life: ObjectLife, keeping sources: [any ObjectSource]) {
    guard life.claim() else { return noteEnd() }
    // The object lives on, and may use those that it was made of.
    if life.destructor.leavesObject { for source in sources { _ = Unmanaged.passRetained(source as AnyObject) } }
    let work: @Sendable () -> Void = { [self] in
      destroy(life, keeping: sources)
      noteEnd()
    }
    if let thread = life.destructor.thread { thread.post(work) } else { submit(work) }
  }

  private func noteEnd() {
    let isLast = state.withLock { state in
      state.ending -= 1
      return state.isClosed && state.ending == 0
    }
    if isLast { idle.signal() }
  }

  private func destroy(_ life: ObjectLife, keeping sources: [any ObjectSource]) {
    let isOver = state.withLock { state in
      if !state.isOver { state.running[ObjectIdentifier(life)] = life.destructor }
      return state.isOver
    }
    guard !isOver else {
      // Never released: its plugin may use the memory.
      _ = Unmanaged.passRetained(life)
      return
    }
    defer { state.withLock { $0.running[ObjectIdentifier(life)] = nil } }
    var fault: CallFault?
    ending(life.destructor.plugin) {
      fault = withExtendedLifetime(sources) { life.destructor.destroy(life.pointer.address) }
    }
    guard case .left(let edge)? = fault else { return }
    report(life.destructor.plugin, edge.error(life.destructor.plugin, of: "\(life.destructor.name)() ").message)
  }

  /// Runs the work on the serial executor, or on this thread if memory has run out.
  private func submit(_ work: @escaping @Sendable () -> Void) {
    let executor = state.withLock { $0.executor }
    let job = Unmanaged.passRetained(Job(work))
    _ = promise_executor_submit(
      OpaquePointer(bitPattern: executor),
      { Unmanaged<Job>.fromOpaque($0!).takeUnretainedValue().run() }, job.toOpaque(),
      { Unmanaged<Job>.fromOpaque($0!).release() })
  }

  /// Work that is done once: by the executor, or where the executor drops it.
  private final class Job: Sendable {
    private let work: Mutex<(@Sendable () -> Void)?>

    init(_ work: @escaping @Sendable () -> Void) { self.work = Mutex(work) }
    deinit { run() }

    func run() {
      let work = work.withLock { work in
        defer { work = nil }
        return work
      }
      work?()
    }
  }
}
