@preconcurrency import CFFI
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

  /// Calls the function on this thread, with binary arguments. For scalars, text and structs nothing is allocated.
  ///
  /// When it returns, errno is as the function left it: who looks at it, sets it to 0 before.
  ///
  /// - Parameters:
  ///   - arguments: in the order of `signature.inputs`, borrowed until the function returns, or, where it returns a
  ///     promise, until that is settled; trailing ones that have a default may be left out. May be `nil` if there are
  ///     none. A struct is a POINTER to its C form, or BYTES.
  ///   - result: becomes the value, the reason, or a PROMISE for a function that returns one: a reference of the
  ///     caller's. It is overwritten without being released. A struct is BYTES in its C form.
  ///   - memory: where a struct of scalars is written that is the result, which then is a POINTER to it. It must have
  ///     room for it.
  /// - Returns: PROMISE_FULFILLED or PROMISE_REJECTED.
  @discardableResult
  public func invoke(
    _ arguments: UnsafePointer<promise_value_t>?, count: Int, into result: UnsafeMutablePointer<promise_value_t>,
    structure memory: UnsafeMutableRawPointer? = nil
  ) -> promise_state_t {
    // Of a general call there is more to keep and to look at; the others should not pay for it.
    let outcome =
      function.plan.pointee.general == nil
      ? CallPlan.invokeSimple(function.plan, arguments, count, into: result, memory: memory)
      : invokeGeneral(arguments, count, result, memory)
    switch outcome {
    case .fulfilled: return promise_state_t(PROMISE_FULFILLED)
    case .rejected: return promise_state_t(PROMISE_REJECTED)
    case .fault(let fault):
      result.pointee = promise_value_t(function.error(fault, arguments, count))
      return promise_state_t(PROMISE_REJECTED)
    }
  }

  @inline(never)
  private func invokeGeneral(
    _ arguments: UnsafePointer<promise_value_t>?, _ count: Int, _ result: UnsafeMutablePointer<promise_value_t>,
    _ memory: UnsafeMutableRawPointer?
  ) -> CallOutcome {
    var kept: CallArena?
    let outcome = CallPlan.invoke(function.plan, arguments, count, into: result, keeping: &kept)
    guard case .fulfilled = outcome else { return outcome }
    if let kept { Self.keep(kept, until: result.pointee) }
    if let memory, function.plan.pointee.result == .structure { Self.move(result, to: memory) }
    return outcome
  }

  /// Moves a struct from BYTES to its place, if it is not there already.
  private static func move(_ result: UnsafeMutablePointer<promise_value_t>, to memory: UnsafeMutableRawPointer) {
    guard result.pointee.kind == promise_kind_t(PROMISE_KIND_BYTES) else { return }
    var length = 0
    if let data = promise_value_data(result, &length) { memory.copyMemory(from: data, byteCount: length) }
    promise_value_release(result)
    result.pointee.kind = promise_kind_t(PROMISE_KIND_POINTER)
    result.pointee.as.ptr = memory
  }

  /// Keeps what a function was lent until the promise that it returned is settled.
  private static func keep(_ memory: CallArena, until result: promise_value_t) {
    guard result.kind == promise_kind_t(PROMISE_KIND_PROMISE) else { return }
    // Without memory for that the function may still be at work with what it was lent: then it stays for ever.
    _ = promise_observe(
      OpaquePointer(result.as.ptr), { _, _ in }, { _, _ in }, Unmanaged.passRetained(memory).toOpaque(),
      { Unmanaged<CallArena>.fromOpaque($0!).release() })
  }
}
