import CPlatform
import Synchronization

/// A trace of the events of promises. Each event is recorded in a ring buffer, which keeps the newest, and passed to
/// the user's function, if there is one.
///
/// The ring is guarded by PLATFORM_LOCK_TRACE. Each event gets its time under that lock, so the events of all threads
/// are in the order of their times.
package enum Trace {
  package struct Kind: Equatable {
    package let rawValue: UInt32
    static var created: Kind { Kind(rawValue: 1) }
    static var attached: Kind { Kind(rawValue: 2) }
    static var settled: Kind { Kind(rawValue: 3) }
    static var began: Kind { Kind(rawValue: 4) }
    static var ended: Kind { Kind(rawValue: 5) }
    static var dropped: Kind { Kind(rawValue: 6) }
  }

  /// The layout is that of `promise_trace_event_t`.
  package struct Event: BitwiseCopyable {
    var size = UInt32(MemoryLayout<Event>.size)
    var kind: UInt32
    var id: UInt64
    var parent: UInt64
    var executor: UInt64
    var time: Int64 = 0
    var thread: Int32
    /// A `promise_state_t` for a settlement; 0 otherwise.
    var state: Int32
  }

  package typealias Function = @convention(c) (_ context: UnsafeMutableRawPointer?, _ event: UnsafeRawPointer) -> Void

  /// Starts a trace, and replaces the previous one and its recording. False when memory has run out: the previous trace
  /// continues, and the context is released.
  package static func start(capacity: Int, _ function: Function?, _ context: Context) -> Bool {
    guard let listener = unsafe Listener<Function?>.make(function, context) else { return false }
    var ring = unsafe Ring()
    guard unsafe ring.reserve(capacity), CreationTimes.prepare() else {
      unsafe ring.free()
      unsafe Listener.release(listener)
      return false
    }
    let before = unsafe replace(listener, interest: .trace)
    platform_lock(Int32(PLATFORM_LOCK_TRACE))
    let old = unsafe recorded
    unsafe recorded = unsafe ring
    platform_unlock(Int32(PLATFORM_LOCK_TRACE))
    unsafe old.free()
    unsafe Listener.release(before)
    return true
  }

  /// Ends the trace. Its recording is kept until the next trace starts.
  package static func stop() {
    unsafe Listener.release(replace(nil, interest: .none))
  }

  private static func replace(_ listener: UnsafeMutablePointer<Listener<Function?>>?, interest: Observation.Interests)
    -> UnsafeMutablePointer<Listener<Function?>>?
  {
    platform_lock(Int32(PLATFORM_LOCK_OBSERVERS))
    defer { platform_unlock(Int32(PLATFORM_LOCK_OBSERVERS)) }
    let before = unsafe current
    unsafe current = unsafe listener
    Observation.change(.trace, to: interest)
    return unsafe before
  }

  /// Records an event of this thread. Call without any lock that the user's function might need.
  @inline(never)
  static func note(
    _ kind: Kind, _ id: UInt64, parent: UInt64 = 0, executor: CellExecutor? = nil, state: Int32 = 0
  ) {
    guard Observation.wants(.trace), unsafe !platform_thread().pointee.listening else { return }
    var event = Event(
      kind: kind.rawValue, id: id, parent: parent, executor: executor?.ref.token.bits ?? 0,
      thread: platform_thread_id(), state: state)
    platform_lock(Int32(PLATFORM_LOCK_TRACE))
    event.time = platform_now()
    unsafe recorded.push(event)
    platform_unlock(Int32(PLATFORM_LOCK_TRACE))
    unsafe Listener.call({ unsafe current }) { function, context in unsafe function?(context, &event) }
  }

  /// Returns a copy of the recording, the oldest event first; nil when memory has run out.
  static func copy() -> Recording? {
    platform_lock(Int32(PLATFORM_LOCK_TRACE))
    defer { platform_unlock(Int32(PLATFORM_LOCK_TRACE)) }
    return unsafe recorded.copy()
  }

  /// Recorded events, and the number of older ones that were overwritten.
  @safe
  struct Recording {
    let events: UnsafeMutablePointer<Event>
    let count: Int
    let lost: UInt64

    subscript(_ index: Int) -> Event { unsafe events[index] }
    func free() { unsafe platform_free(events) }
  }

  /// A ring buffer of the newest events.
  @unsafe
  fileprivate struct Ring {
    private var events: UnsafeMutablePointer<Event>?
    private var capacity = 0
    private var total: UInt64 = 0

    mutating func reserve(_ capacity: Int) -> Bool {
      guard capacity > 0 else { return true }
      guard capacity < Int.max / MemoryLayout<Event>.stride,
        let memory = unsafe malloc(capacity * MemoryLayout<Event>.stride)
      else { return false }
      unsafe events = unsafe memory.bindMemory(to: Event.self, capacity: capacity)
      unsafe self.capacity = capacity
      return true
    }

    mutating func push(_ event: Event) {
      guard let events = unsafe events else { return }
      unsafe events[Int(total % UInt64(capacity))] = event
      unsafe total += 1
    }

    func copy() -> Recording? {
      let count = unsafe Int(min(total, UInt64(capacity)))
      guard let memory = unsafe malloc(max(count, 1) * MemoryLayout<Event>.stride) else { return nil }
      let copy = unsafe memory.bindMemory(to: Event.self, capacity: max(count, 1))
      for offset in 0..<count {
        let place = unsafe Int((total - UInt64(count - offset)) % UInt64(capacity))
        unsafe copy[offset] = unsafe events.unsafelyUnwrapped[place]
      }
      return unsafe Recording(events: copy, count: count, lost: total - UInt64(count))
    }

    func free() { unsafe platform_free(events) }
  }
}

/// Guarded by PLATFORM_LOCK_OBSERVERS.
nonisolated(unsafe) private var current: UnsafeMutablePointer<Listener<Trace.Function?>>?
/// Guarded by PLATFORM_LOCK_TRACE.
nonisolated(unsafe) private var recorded = unsafe Trace.Ring()
