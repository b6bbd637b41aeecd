import CPlatform

// A callback runs "now" if it has `.nowOr` and the call that attaches it also runs it. The thread records the
// activation (Settle.swift) in which that happens. A settlement that begins inside the callback has an activation of
// its own, so its callbacks do not run now. Attaching a callback to a settled promise also starts an activation, but
// continues that of its caller.

extension PromiseContext {
  /// Whether the caller is a callback with `.nowOr` that runs in the call that attached it.
  ///
  /// An `.immediate` callback that runs in its attaching call has the value of that call, and a callback of
  /// `Resolver.onCancelRequest` that of the requesting call. In every other callback it is false.
  public static var isExecutingNow: Bool {
    let thread = unsafe platform_thread()
    guard let now = unsafe thread.pointee.now else { return false }
    var activation = unsafe thread.pointee.activation
    while let pointer = unsafe activation {
      if unsafe pointer == now { return true }
      let here = unsafe pointer.assumingMemoryBound(to: Activation.self)
      guard unsafe here.pointee.isCallers else { return false }
      unsafe activation = unsafe UnsafeMutableRawPointer(here.pointee.enclosing)
    }
    return unsafe now == PromiseContext.outside
  }

  /// The marker that stands for an activation where none is running.
  private static var outside: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: 1) }

  /// Runs `body` with `isExecutingNow` set to `isNow`.
  static func executing<Result>(now isNow: Bool, _ body: () throws -> Result) rethrows -> Result {
    let thread = unsafe platform_thread()
    let before = unsafe thread.pointee.now
    unsafe thread.pointee.now = unsafe isNow ? thread.pointee.activation ?? outside : nil
    defer { unsafe thread.pointee.now = unsafe before }
    return try body()
  }

  /// Wraps the closure so that it runs with `isExecutingNow` set.
  static func now(_ closure: @escaping Closure) -> Closure {
    { isRejected, value, out in executing(now: true) { closure(isRejected, value, &out) } }
  }
}
