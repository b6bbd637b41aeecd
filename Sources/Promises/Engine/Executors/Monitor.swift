import CPlatform
import Synchronization

/// What a guarded thing does in a child of fork(), where none of the other threads is: it gets its address.
typealias ChildFunction = @convention(c) (UnsafeMutableRawPointer) -> Void

/// A lock, and a place to sleep for what happens under it. Nothing of the user's runs while it is held.
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
  func unlock() { unsafe platform_monitor_unlock(pointer) }

  /// Sleeps, unlocked, until it is woken, for no reason too, or until a time (negative: for ever). False if that came.
  func wait(until deadline: Int64) -> Bool { unsafe platform_monitor_wait(pointer, deadline) }
  func wakeOne() { unsafe platform_monitor_wake_one(pointer) }
}

/// Memory and its monitor, which lies before it. `state` is touched while the monitor is held, and not otherwise.
@safe
struct Guarded<State> {
  let address: UnsafeMutableRawPointer

  private static var offset: Int { 128 }

  init(address: UnsafeMutableRawPointer?) { unsafe self.address = unsafe address.unsafelyUnwrapped }

  /// Nil when memory has run out. A thread that is within this may go into others that were made later, or into any if
  /// this one `comesFirst`: fork() goes into all of them that way.
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

/// What there is one of in a process: made at its first use, and never freed.
///
/// The address is read without a lock; `PLATFORM_LOCK_SETUP` is for the first uses that meet.
struct Single: ~Copyable {
  private let address = Atomic<UInt>(0)

  /// If it has been made.
  var made: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: address.load(ordering: .acquiring)) }

  /// Nil when there is no memory for it.
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
  /// For C.
  var cString: UnsafePointer<CChar> { unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
