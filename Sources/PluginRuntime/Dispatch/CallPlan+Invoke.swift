import CPluginEdge
import CPromise
import Glibc

extension CallPlan {
  /// Calls the function on this thread.
  ///
  /// The arguments are borrowed until it returns. `result` receives the value, the reason, or the PROMISE that the
  /// function returned; the caller owns the reference.
  ///
  /// - Parameter kept: receives the memory that a returned promise keeps in use in addition to the arguments.
  static func invoke(
    _ plan: UnsafeMutablePointer<CallPlan>, _ arguments: UnsafePointer<promise_value_t>?, _ given: Int,
    into result: UnsafeMutablePointer<promise_value_t>, keeping kept: inout CallArena?
  ) -> CallOutcome {
    guard let general = plan.pointee.general else { return invokeSimple(plan, arguments, given, into: result) }
    if let fault = lack(plan, arguments, given) { return .fault(fault) }
    return general._withUnsafeGuaranteedRef {
      GeneralCall.invoke($0, arguments, given, into: result, keeping: &kept)
    }
  }

  /// Calls the function of a plan that is not general. On return errno has the function's value.
  ///
  /// - Parameter memory: the destination of a struct result; without it, the result is BYTES.
  @inline(__always)
  static func invokeSimple(
    _ plan: UnsafeMutablePointer<CallPlan>, _ arguments: UnsafePointer<promise_value_t>?, _ given: Int,
    into result: UnsafeMutablePointer<promise_value_t>, memory: UnsafeMutableRawPointer? = nil
  ) -> CallOutcome {
    if let fault = lack(plan, arguments, given) { return .fault(fault) }
    guard given <= plan.pointee.count else { return .fault(.tooMany) }
    // An allocation of a constant size is on the stack, and costs nothing.
    guard plan.pointee.frame.size <= smallSize else { return invokeLarge(plan, arguments, given, result, memory) }
    return withUnsafeTemporaryAllocation(byteCount: smallSize, alignment: 16) { frame in
      // A nonempty allocation has an address.
      call(plan, arguments, given, CallFrame(frame.baseAddress.unsafelyUnwrapped, layout(plan)), result, memory)
    }
  }

  /// Returns a fault if an argument is missing.
  @inline(__always)
  private static func lack(
    _ plan: UnsafeMutablePointer<CallPlan>, _ arguments: UnsafePointer<promise_value_t>?, _ given: Int
  ) -> CallFault? {
    given >= plan.pointee.required && (arguments != nil || given == 0)
      ? nil : .missing(arguments == nil ? 0 : given)
  }

  /// The frame size of the fast path, in bytes: enough for 16 arguments of up to two words.
  private static var smallSize: Int { 512 }

  @inline(never)
  private static func invokeLarge(
    _ plan: UnsafeMutablePointer<CallPlan>, _ arguments: UnsafePointer<promise_value_t>?, _ given: Int,
    _ result: UnsafeMutablePointer<promise_value_t>, _ memory: UnsafeMutableRawPointer?
  ) -> CallOutcome {
    withUnsafeTemporaryAllocation(byteCount: plan.pointee.frame.size, alignment: 16) { frame in
      call(plan, arguments, given, CallFrame(frame.baseAddress.unsafelyUnwrapped, layout(plan)), result, memory)
    }
  }

  /// Stores the arguments, calls the function, and loads the result.
  @inline(__always)
  private static func call(
    _ plan: UnsafeMutablePointer<CallPlan>, _ arguments: UnsafePointer<promise_value_t>?, _ given: Int,
    _ frame: CallFrame, _ result: UnsafeMutablePointer<promise_value_t>, _ memory: UnsafeMutableRawPointer?
  ) -> CallOutcome {
    let parameters = plan.pointee.parameters
    let addresses = frame.addresses
    let count = plan.pointee.count
    var index = 0
    while index < count {
      let value = index < given ? arguments.unsafelyUnwrapped + index : defaultValue(parameters + index)
      let slot = frame.argument(at: parameters[index].offset)
      addresses[index] = slot
      if let fault = ArgumentStore.store(value, as: parameters + index, index: index, at: slot) {
        ArgumentStore.takeBack(parameters, before: index, of: frame)
        return .fault(fault)
      }
      index &+= 1
    }
    guard plan.pointee.fails else {
      if let fault = CallEdge.call(
        plan.pointee.subject, &plan.pointee.interface, plan.pointee.entry, frame.returned, addresses)
      {
        return .fault(fault)
      }
      // Loading a number cannot change errno.
      guard plan.pointee.result.isNumber else { return keepingErrno { load(plan, frame.returned, result, memory) } }
      return ResultLoad.load(plan.pointee.result, from: frame.returned, into: result).map { .fault($0) } ?? .fulfilled
    }
    frame.addOutputs(after: count, hasResult: plan.pointee.result != .void)
    if let fault = CallEdge.call(
      plan.pointee.subject, &plan.pointee.interface, plan.pointee.entry, frame.returned, addresses)
    {
      // The function may have stored an error before it was left.
      if isWellFormed(frame.error) { promise_value_release(frame.error) }
      return .fault(fault)
    }
    return keepingErrno {
      let status = frame.returned.load(as: promise_status_t.self)
      if status < 0 { return reject(status, frame.error, into: result) }
      // An error is ignored on success, but may own memory.
      _ = promise_value_release(frame.error)
      return load(plan, frame.result, result, memory)
    }
  }

  @inline(__always)
  private static func keepingErrno(_ body: () -> CallOutcome) -> CallOutcome {
    let number = errno
    defer { errno = number }
    return body()
  }

  @inline(__always)
  private static func load(
    _ plan: UnsafeMutablePointer<CallPlan>, _ source: UnsafeRawPointer,
    _ result: UnsafeMutablePointer<promise_value_t>, _ memory: UnsafeMutableRawPointer?
  ) -> CallOutcome {
    guard plan.pointee.result == .structure else {
      plugin_activity_read_results(plan.pointee.subject)
      defer { plugin_activity_read_results(nil) }
      return ResultLoad.load(plan.pointee.result, from: source, into: result).map { .fault($0) } ?? .fulfilled
    }
    guard let memory else {
      let status = promise_value_bytes(result, source, plan.pointee.resultSize)
      return status == PROMISE_OK ? .fulfilled : .fault(.noMemory)
    }
    memory.copyMemory(from: source, byteCount: plan.pointee.resultSize)
    result.pointee = promise_value_t()
    result.pointee.kind = promise_kind_t(PROMISE_KIND_POINTER)
    result.pointee.as.ptr = memory
    return .fulfilled
  }

  private static func layout(_ plan: UnsafeMutablePointer<CallPlan>) -> UnsafePointer<CallFrame.Layout> {
    let offset = MemoryLayout<CallPlan>.offset(of: \.frame).unsafelyUnwrapped
    return UnsafeRawPointer(plan).advanced(by: offset).assumingMemoryBound(to: CallFrame.Layout.self)
  }

  private static func defaultValue(_ parameter: UnsafeMutablePointer<Parameter>) -> UnsafePointer<promise_value_t> {
    let offset = MemoryLayout<Parameter>.offset(of: \.defaultValue).unsafelyUnwrapped
    return (UnsafeRawPointer(parameter) + offset).assumingMemoryBound(to: promise_value_t.self)
  }

  /// Concludes a call whose function with `!` has failed.
  static func reject(
    _ status: promise_status_t, _ error: UnsafeMutablePointer<promise_value_t>,
    into result: UnsafeMutablePointer<promise_value_t>
  ) -> CallOutcome {
    let isFilled = error.pointee.kind != promise_kind_t(PROMISE_KIND_VOID)
    if isFilled, isWellFormed(error) {
      result.pointee = error.pointee
      return .rejected
    }
    let message = "the function failed with \(String(cString: promise_status_name(status))), and gave no error"
    return promise_value_error(result, "promise", Int64(status), message) == PROMISE_OK ? .rejected : .fault(.noMemory)
  }

  /// Whether the library recognizes the value as valid.
  static func isWellFormed(_ value: UnsafeMutablePointer<promise_value_t>) -> Bool {
    guard promise_value_retain(value) == PROMISE_OK else { return false }
    var copy = value.pointee
    return promise_value_release(&copy) == PROMISE_OK
  }
}
