import CPlatform

/// An executor that runs a job on this thread; the struct is on the thread's stack.
@unsafe
struct RunningExecutor {
  let enclosing: UnsafeMutablePointer<RunningExecutor>?
  let executor: CellExecutor

  /// The innermost running executor of this thread.
  static var innermost: UnsafeMutablePointer<RunningExecutor>? {
    unsafe platform_thread().pointee.running?.assumingMemoryBound(to: RunningExecutor.self)
  }

  /// Runs the body of an executor's job. The caller must have a reference to the executor throughout.
  @inline(__always)
  @safe
  static func running(_ executor: CellExecutor?, _ body: () -> Void) {
    guard let executor else { return body() }
    let thread = unsafe platform_thread()
    var running = unsafe RunningExecutor(enclosing: innermost, executor: executor)
    unsafe withUnsafeMutablePointer(to: &running) { here in
      unsafe thread.pointee.running = UnsafeMutableRawPointer(here)
      body()
      unsafe thread.pointee.running = unsafe UnsafeMutableRawPointer(here.pointee.enclosing)
    }
  }
}

extension CellExecutor {
  /// Whether a job of this executor runs on the calling thread, possibly with a job of another executor nested in it.
  package var isCurrent: Bool {
    var running = unsafe RunningExecutor.innermost
    while let here = unsafe running {
      if unsafe here.pointee.executor.ref == ref { return true }
      unsafe running = unsafe here.pointee.enclosing
    }
    return false
  }
}
