import CPlatform
import Synchronization

/// Functions of the program that run on the library's threads, before the first callback on a thread and before the
/// thread exits. They attach the thread to a virtual machine, and detach it.
///
/// Each thread keeps a reference to the hooks whose `start` it has called. The thread calls their `stop` before it
/// adopts newer hooks, and before it exits. The last release frees the context.
@unsafe
package struct ThreadHooks {
  /// The number of threads that use them, plus one while they are the newest. Guarded by PLATFORM_LOCK_HOOKS.
  /// Declared before the fields that are read without the lock: ThreadSanitizer takes `+=` for a change of the first
  /// byte of the struct.
  private var references = 1
  private let start: FreeFunction?
  private let stop: FreeFunction?
  private let context: Context

  private init(_ start: FreeFunction?, _ stop: FreeFunction?, _ context: Context) {
    unsafe self.start = unsafe start
    unsafe self.stop = unsafe stop
    unsafe self.context = context
  }

  private typealias Pointer = UnsafeMutablePointer<ThreadHooks>

  /// Replaces the hooks; nil functions are not called. Takes ownership of the context, and releases it at once if there
  /// is no function. False when memory has run out.
  package static func set(_ start: FreeFunction?, _ stop: FreeFunction?, _ context: Context) -> Bool {
    guard unsafe start != nil || stop != nil else {
      unsafe replace(0)
      context.release()
      return true
    }
    guard let memory = unsafe malloc(MemoryLayout<ThreadHooks>.size) else {
      context.release()
      return false
    }
    let hooks = unsafe memory.bindMemory(to: ThreadHooks.self, capacity: 1)
    unsafe hooks.initialize(to: ThreadHooks(start, stop, context))
    unsafe replace(UInt(bitPattern: hooks))
    return true
  }

  private static func replace(_ hooks: UInt) {
    platform_lock(Int32(PLATFORM_LOCK_HOOKS))
    let old = newest.load(ordering: .relaxed)
    newest.store(hooks, ordering: .relaxed)
    platform_unlock(Int32(PLATFORM_LOCK_HOOKS))
    unsafe release(old)
  }

  /// Calls `start` of the newest hooks, unless the calling thread has done so. `own`: the hooks whose `start` it called
  /// last. The address is only compared here, and a new one may be noticed at a later call. The hooks are read under
  /// the lock.
  @inline(__always)
  static func follow(_ own: inout UInt) {
    if newest.load(ordering: .relaxed) != own { unsafe change(&own) }
  }

  /// Calls `stop` of the calling thread's hooks before the thread exits.
  static func leave(_ own: inout UInt) { unsafe end(&own) }

  @inline(never)
  private static func change(_ own: inout UInt) {
    unsafe end(&own)
    platform_lock(Int32(PLATFORM_LOCK_HOOKS))
    own = newest.load(ordering: .relaxed)
    let hooks = unsafe Pointer(bitPattern: own)
    unsafe hooks?.pointee.references += 1
    platform_unlock(Int32(PLATFORM_LOCK_HOOKS))
    if let hooks = unsafe hooks { unsafe hooks.pointee.start?(hooks.pointee.context.pointer) }
  }

  private static func end(_ own: inout UInt) {
    let old = own
    own = 0
    guard let hooks = unsafe Pointer(bitPattern: old) else { return }
    unsafe hooks.pointee.stop?(hooks.pointee.context.pointer)
    unsafe release(old)
  }

  private static func release(_ address: UInt) {
    guard let hooks = unsafe Pointer(bitPattern: address) else { return }
    platform_lock(Int32(PLATFORM_LOCK_HOOKS))
    unsafe hooks.pointee.references -= 1
    let isLast = unsafe hooks.pointee.references == 0
    platform_unlock(Int32(PLATFORM_LOCK_HOOKS))
    guard isLast else { return }
    unsafe hooks.pointee.context.release()
    unsafe platform_free(hooks)
  }
}

/// The address of the newest hooks; 0 if there are none. Written with PLATFORM_LOCK_HOOKS held.
private let newest = Atomic<UInt>(0)
