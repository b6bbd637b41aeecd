import CPlatform

/// A set of user functions with one context, replaceable while they are called: the context is released when the last
/// call has returned.
@unsafe
struct Listener<Functions> {
  /// The number of running calls, plus one while this listener is the current one. Guarded by PLATFORM_LOCK_OBSERVERS.
  /// The first field, because ThreadSanitizer reports `+=` at the first byte of the struct, which must not be one that
  /// is read without the lock.
  private var uses = 1
  let functions: Functions
  let context: Context

  /// Makes a listener with one use. Nil when memory has run out: then the context is released.
  static func make(_ functions: Functions, _ context: Context) -> UnsafeMutablePointer<Listener>? {
    guard let memory = unsafe malloc(MemoryLayout<Listener>.size) else {
      context.release()
      return nil
    }
    let listener = unsafe memory.bindMemory(to: Listener.self, capacity: 1)
    unsafe listener.initialize(to: Listener(functions: functions, context: context))
    return unsafe listener
  }

  private init(functions: Functions, context: Context) {
    unsafe self.functions = functions
    unsafe self.context = context
  }

  /// Calls `body` with the current listener. A no-op within such a call on the same thread: a listener is not notified
  /// of its own actions. No lock is held meanwhile.
  static func call(
    _ current: () -> UnsafeMutablePointer<Listener>?, _ body: (Functions, UnsafeMutableRawPointer?) -> Void
  ) {
    let thread = unsafe platform_thread()
    guard unsafe !thread.pointee.listening else { return }
    platform_lock(Int32(PLATFORM_LOCK_OBSERVERS))
    let listener = unsafe current()
    unsafe listener?.pointee.uses += 1
    platform_unlock(Int32(PLATFORM_LOCK_OBSERVERS))
    guard let listener = unsafe listener else { return }
    unsafe thread.pointee.listening = true
    // Cells released in the call are disposed of in it: deferred to an enclosing disposal, they would be reported.
    // Those that the enclosing disposal has deferred wait for its end: disposed of in the call, they would not be.
    let (isDisposing, cells, contexts) = unsafe (
      thread.pointee.disposing, thread.pointee.disposal, thread.pointee.contexts
    )
    unsafe (thread.pointee.disposing, thread.pointee.disposal, thread.pointee.contexts) = (false, 0, 0)
    unsafe body(listener.pointee.functions, listener.pointee.context.pointer)
    unsafe (thread.pointee.disposing, thread.pointee.disposal, thread.pointee.contexts) = (isDisposing, cells, contexts)
    unsafe thread.pointee.listening = false
    unsafe release(listener)
  }

  /// Releases one use of the listener: a call, or its being the current one.
  static func release(_ listener: UnsafeMutablePointer<Listener>?) {
    guard let listener = unsafe listener else { return }
    platform_lock(Int32(PLATFORM_LOCK_OBSERVERS))
    unsafe listener.pointee.uses -= 1
    let isLast = unsafe listener.pointee.uses == 0
    platform_unlock(Int32(PLATFORM_LOCK_OBSERVERS))
    guard isLast else { return }
    unsafe listener.pointee.context.release()
    unsafe listener.deinitialize(count: 1)
    unsafe platform_free(listener)
  }
}
