import CPromise

/// A function of a loaded plugin, for callers that have their arguments as C has them and want no promise made for the
/// result.
///
///     let add = try host.function("add", of: "org.example.arithmetic")
///     let state = add.invoke(arguments, count: 2, into: &result)
///
/// It bypasses what `Host.call` watches over: it must not be in use when `Host.unloadAll` is called, or later.
public struct PluginFunction: Sendable {
  private let function: BoundFunction

  init(_ function: BoundFunction) { self.function = function }

  /// What it takes and gives.
  public var signature: Signature { function.signature }

  /// Calls the function on this thread, with binary arguments. For scalars nothing is allocated.
  ///
  /// - Parameters:
  ///   - arguments: in the order of the parameters, borrowed until the function returns, or, where it returns a
  ///     promise, until that is settled; trailing ones that have a default may be left out. May be `nil` if there are
  ///     none.
  ///   - result: becomes the value, the reason, or a PROMISE for a function that returns one: a reference of the
  ///     caller's. It is overwritten without being released.
  /// - Returns: PROMISE_FULFILLED or PROMISE_REJECTED.
  @discardableResult
  public func invoke(
    _ arguments: UnsafePointer<promise_value_t>?, count: Int, into result: UnsafeMutablePointer<promise_value_t>
  ) -> promise_state_t {
    switch CallPlan.invoke(function.plan, arguments, count, into: result) {
    case .fulfilled: return promise_state_t(PROMISE_FULFILLED)
    case .rejected: return promise_state_t(PROMISE_REJECTED)
    case .fault(let fault):
      result.pointee = promise_value_t(function.error(fault, arguments, count))
      return promise_state_t(PROMISE_REJECTED)
    }
  }
}
