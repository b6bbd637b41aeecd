@preconcurrency import CFFI
import CPromise
import Glibc

/// A function of a loaded plugin, called directly with binary arguments and without a promise for the result.
///
///     let add = try host.function("add", of: "org.example.arithmetic")
///     let state = add.invoke(arguments, count: 2, into: &result)
///
/// It bypasses the checks of `Host.call`: no call may be running when `Host.unloadAll` is called, or start later.
public struct PluginFunction: Sendable {
  let function: BoundFunction

  private let thread: SerialThread?
  private let retainedArguments: RetainedArguments

  init(_ function: BoundFunction, on thread: SerialThread?, _ retainedArguments: RetainedArguments) {
    self.function = function
    self.thread = thread
    self.retainedArguments = retainedArguments
  }

  /// The signature of the function.
  public var signature: Signature { function.signature }

  /// Calls the function with binary arguments, on this thread, or on the plugin's own thread if it has one. Scalars,
  /// text and structs are passed without an allocation.
  ///
  /// On return errno has the function's value. A caller that reads it sets it to 0 first.
  ///
  /// - Parameters:
  ///   - arguments: in the order of `signature.inputs`. Borrowed until the function returns, or, if it returns a
  ///     promise, until that is settled. If a callback throws, the function's promise is discarded, and the runtime
  ///     keeps references to the arguments until the plugin has released it; the memory behind a POINTER has to live
  ///     until then, too. Trailing arguments with a default may be omitted. May be `nil` if there are none. A struct is
  ///     a POINTER to its C form, or BYTES.
  ///   - result: receives the value, the reason, or the PROMISE of a function that returns one; the caller owns the
  ///     reference. It is overwritten without being released. A struct is BYTES in its C form.
  ///   - memory: the destination of a result that is a struct of scalars; the result is then a POINTER to it. It must
  ///     be large enough.
  /// - Returns: PROMISE_FULFILLED or PROMISE_REJECTED. The error of a callback that throws after the return is logged.
  @discardableResult
  public func invoke(
    _ arguments: UnsafePointer<promise_value_t>?, count: Int, into result: UnsafeMutablePointer<promise_value_t>,
    structure memory: UnsafeMutableRawPointer? = nil
  ) -> promise_state_t {
    if let thread, !thread.isCurrent { return invoke(on: thread, arguments, count, result, memory) }
    // Split, because a general call has more memory and faults to handle, which the simple path should not pay for.
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

  /// Calls the function on the plugin's thread, and waits for it.
  @inline(never)
  private func invoke(
    on thread: SerialThread, _ arguments: UnsafePointer<promise_value_t>?, _ count: Int,
    _ result: UnsafeMutablePointer<promise_value_t>, _ memory: UnsafeMutableRawPointer?
  ) -> promise_state_t {
    // Borrowed until this call returns.
    nonisolated(unsafe) let (arguments, result, memory) = (arguments, result, memory)
    let before = errno
    let (state, after) = thread.wait { [self] in
      errno = before
      return (invoke(arguments, count: count, into: result, structure: memory), errno)
    }
    errno = after
    return state
  }

  @inline(never)
  private func invokeGeneral(
    _ arguments: UnsafePointer<promise_value_t>?, _ count: Int, _ result: UnsafeMutablePointer<promise_value_t>,
    _ memory: UnsafeMutableRawPointer?
  ) -> CallOutcome {
    var kept: CallArena?
    let outcome = CallPlan.invoke(function.plan, arguments, count, into: result, keeping: &kept)
    guard case .fulfilled = outcome else { return outcome }
    if let error = kept?.callbacks?.own(nil) {
      let lent = ArgumentValues(retaining: arguments, count: count)
      lent.keep(kept)
      return reject(with: error, result, lent)
    }
    if let kept { Self.keep(kept, until: result.pointee) }
    if let memory, function.plan.pointee.result == .structure { Self.move(result, to: memory) }
    return outcome
  }

  /// Discards the promise that the function returned, because a callback threw while the function ran.
  private func reject(
    with error: any Error, _ result: UnsafeMutablePointer<promise_value_t>, _ lent: ArgumentValues
  ) -> CallOutcome {
    lent.releaseCallbacks()
    retainedArguments.retain(lent, until: UInt(bitPattern: result.pointee.as.ptr))
    promise_discard(OpaquePointer(result.pointee.as.ptr))
    promise_value_release(result)
    return CallCallbacks.reject(with: error, into: result)
  }

  /// Moves a struct from BYTES to the caller's memory, if it is not there already.
  private static func move(_ result: UnsafeMutablePointer<promise_value_t>, to memory: UnsafeMutableRawPointer) {
    guard result.pointee.kind == promise_kind_t(PROMISE_KIND_BYTES) else { return }
    var length = 0
    if let data = promise_value_data(result, &length) { memory.copyMemory(from: data, byteCount: length) }
    promise_value_release(result)
    result.pointee.kind = promise_kind_t(PROMISE_KIND_POINTER)
    result.pointee.as.ptr = memory
  }

  /// Keeps borrowed memory alive until the returned promise is settled.
  private static func keep(_ memory: CallArena, until result: promise_value_t) {
    guard result.kind == promise_kind_t(PROMISE_KIND_PROMISE) else { return }
    // If the observer cannot be attached, the memory is leaked: the function may still be using it.
    _ = promise_observe(
      OpaquePointer(result.as.ptr), { _, _ in }, { _, _ in }, Unmanaged.passRetained(memory).toOpaque(),
      { Unmanaged<CallArena>.fromOpaque($0!).release() })
  }
}
