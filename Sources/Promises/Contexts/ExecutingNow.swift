import CPlatform

// A callback "now" is one with `.nowOr` that its attaching call runs. The thread notes in which activation
// (Settle.swift) that is. A settlement that begins inside is an activation of its own, so its callbacks are not now;
// attaching a callback to a settled promise is one too, but only goes on with what its caller does.

extension PromiseContext {
  /// Whether the caller is a callback with `.nowOr` that runs in the call that attached it.
  ///
  /// An `.immediate` callback that its attaching call runs takes over what is so for its caller, and one of
  /// `Resolver.onCancelRequest` what is so for the call that asks. In every other callback it is false.
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

  /// In the place of an activation, where there is none.
  private static var outside: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: 1) }

  /// Runs `body` now, or not.
  static func executing<Result>(now isNow: Bool, _ body: () throws -> Result) rethrows -> Result {
    let thread = unsafe platform_thread()
    let before = unsafe thread.pointee.now
    unsafe thread.pointee.now = unsafe isNow ? thread.pointee.activation ?? outside : nil
    defer { unsafe thread.pointee.now = unsafe before }
    return try body()
  }

  /// The closure as one that runs now.
  static func now(_ closure: @escaping Closure) -> Closure {
    { isRejected, value, out in executing(now: true) { closure(isRejected, value, &out) } }
  }
}
