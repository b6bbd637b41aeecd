import CPlatform
import Synchronization

/// Called in a child of fork() with the address of a guarded object, to adapt it to the loss of all other threads.
typealias ChildFunction = @convention(c) (UnsafeMutableRawPointer) -> Void

/// A mutex with a condition variable. No user code runs while it is held.
@safe
struct Monitor {
  private let pointer: UnsafeMutablePointer<platform_monitor>

  fileprivate init(_ memory: UnsafeMutableRawPointer) {
    unsafe pointer = unsafe memory.assumingMemoryBound(to: platform_monitor.self)
  }

  fileprivate func initialize(comesFirst: Bool, _ inChild: ChildFunction) {
    unsafe platform_monitor_init(pointer, inChild, comesFirst)
  }
  fileprivate func destroy() { unsafe platform_monitor_destroy(pointer) }

  func lock() { unsafe platform_monitor_lock(pointer) }
  /// Locks the monitor; returns false if another thread holds it.
  func tryLock() -> Bool { unsafe platform_monitor_try_lock(pointer) }
  func unlock() { unsafe platform_monitor_unlock(pointer) }

  /// Releases the lock and sleeps until it is woken or the deadline has passed (negative: unlimited); may wake
  /// spuriously. False if the deadline has passed.
  func wait(until deadline: Int64) -> Bool { unsafe platform_monitor_wait(pointer, deadline) }
  func wakeOne() { unsafe platform_monitor_wake_one(pointer) }
}

/// Allocated memory that a monitor guards. `state` is accessed only while the monitor is held.
@safe
struct Guarded<State> {
  let address: UnsafeMutableRawPointer

  private static var offset: Int { 128 }

  init(address: UnsafeMutableRawPointer?) { unsafe self.address = unsafe address.unsafelyUnwrapped }

  /// Allocates the memory; nil when memory has run out. Lock order: a thread that holds this monitor may take monitors
  /// that were made later, or any other one if this one `comesFirst`. fork() takes all of them in that order.
  static func make(_ state: State, comesFirst: Bool = false, inChild: ChildFunction) -> Guarded? {
    guard let address = unsafe malloc(offset + MemoryLayout<State>.size) else { return nil }
    unsafe (address + offset).bindMemory(to: State.self, capacity: 1).initialize(to: state)
    let guarded = unsafe Guarded(address: address)
    unsafe guarded.monitor.initialize(comesFirst: comesFirst, inChild)
    return guarded
  }

  func free() {
    monitor.destroy()
    unsafe platform_free(address)
  }

  var monitor: Monitor { unsafe Monitor(address) }

  var state: UnsafeMutablePointer<State> {
    unsafe (address + Guarded.offset).assumingMemoryBound(to: State.self)
  }

  @inline(__always)
  func locked<Result>(_ body: (UnsafeMutablePointer<State>) -> Result) -> Result {
    monitor.lock()
    defer { monitor.unlock() }
    return unsafe body(state)
  }
}

/// A singleton of the process, created on first use and never freed.
///
/// The address is read without a lock; `PLATFORM_LOCK_SETUP` serializes concurrent first uses.
struct Single: ~Copyable {
  private let address = Atomic<UInt>(0)

  /// The address, if the object has been made.
  var made: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: address.load(ordering: .acquiring)) }

  /// Returns the object, after making it if necessary; nil when memory has run out.
  @inline(__always)
  func get(_ make: () -> UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let made = unsafe made { return unsafe made }
    platform_lock(Int32(PLATFORM_LOCK_SETUP))
    defer { platform_unlock(Int32(PLATFORM_LOCK_SETUP)) }
    if let made = unsafe made { return unsafe made }
    let made = unsafe make()
    address.store(UInt(bitPattern: made), ordering: .releasing)
    return unsafe made
  }
}

extension StaticString {
  /// The text as a C string.
  var cString: UnsafePointer<CChar> { unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
