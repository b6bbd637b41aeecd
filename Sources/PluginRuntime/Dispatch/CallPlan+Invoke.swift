import CPromise

extension CallPlan {
  /// Calls the function, on this thread.
  ///
  /// The arguments are borrowed until it returns. What it gives lands in `result`, as a reference of the caller's: the
  /// value, the reason, or the PROMISE that it returned.
  @inline(__always)
  static func invoke(
    _ plan: UnsafeMutablePointer<CallPlan>, _ arguments: UnsafePointer<promise_value_t>?, _ given: Int,
    into result: UnsafeMutablePointer<promise_value_t>
  ) -> CallOutcome {
    let count = plan.pointee.count
    guard given <= count else { return .fault(.tooMany) }
    guard given >= plan.pointee.required, arguments != nil || given == 0 else {
      return .fault(.missing(arguments == nil ? 0 : given))
    }
    // A size that the compiler knows costs nothing to set aside.
    guard count <= smallCount else { return invokeLarge(plan, arguments, given, into: result) }
    return withUnsafeTemporaryAllocation(byteCount: smallSize, alignment: 16) { memory in
      // An allocation of a size that is not 0 has an address.
      call(plan, arguments, given, CallFrame(memory.baseAddress.unsafelyUnwrapped, count: count), into: result)
    }
  }

  static let smallCount = 8
  /// What CallFrame.size(count: 8) is, as a constant.
  static var smallSize: Int { 272 }

  @inline(never)
  private static func invokeLarge(
    _ plan: UnsafeMutablePointer<CallPlan>, _ arguments: UnsafePointer<promise_value_t>?, _ given: Int,
    into result: UnsafeMutablePointer<promise_value_t>
  ) -> CallOutcome {
    let count = plan.pointee.count
    return withUnsafeTemporaryAllocation(byteCount: CallFrame.size(count: count), alignment: 16) { memory in
      call(plan, arguments, given, CallFrame(memory.baseAddress.unsafelyUnwrapped, count: count), into: result)
    }
  }

  /// Stores the arguments, calls, and loads the result.
  @inline(__always)
  private static func call(
    _ plan: UnsafeMutablePointer<CallPlan>, _ arguments: UnsafePointer<promise_value_t>?, _ given: Int,
    _ frame: CallFrame, into result: UnsafeMutablePointer<promise_value_t>
  ) -> CallOutcome {
    let parameters = plan.pointee.parameters
    let addresses = frame.addresses
    let count = plan.pointee.count
    var index = 0
    while index < count {
      let value = index < given ? arguments.unsafelyUnwrapped + index : defaultValue(parameters + index)
      let slot = frame.argument(index)
      addresses[index] = slot
      if let fault = ArgumentStore.store(value, as: parameters + index, index: index, at: slot) {
        ArgumentStore.takeBack(parameters, before: index, of: frame)
        return .fault(fault)
      }
      index &+= 1
    }
    guard plan.pointee.fails else {
      if let fault = CallEdge.call(plan, frame) { return .fault(fault) }
      if let fault = ResultLoad.load(plan.pointee.result, from: frame.returned, into: result) { return .fault(fault) }
      return .fulfilled
    }
    frame.addOutputs(hasResult: plan.pointee.result != .void)
    if let fault = CallEdge.call(plan, frame) {
      // It may have been filled before.
      if isWellFormed(frame.error) { promise_value_release(frame.error) }
      return .fault(fault)
    }
    return conclude(plan, frame, into: result)
  }

  private static func defaultValue(_ parameter: UnsafeMutablePointer<Parameter>) -> UnsafePointer<promise_value_t> {
    let offset = MemoryLayout<Parameter>.offset(of: \.defaultValue).unsafelyUnwrapped
    return (UnsafeRawPointer(parameter) + offset).assumingMemoryBound(to: promise_value_t.self)
  }

  /// Ends the call of a function with `!`.
  private static func conclude(
    _ plan: UnsafeMutablePointer<CallPlan>, _ frame: CallFrame, into result: UnsafeMutablePointer<promise_value_t>
  ) -> CallOutcome {
    let status = frame.returned.load(as: promise_status_t.self)
    guard status < 0 else {
      // An error beside success means nothing, but may own memory.
      _ = promise_value_release(frame.error)
      if let fault = ResultLoad.load(plan.pointee.result, from: frame.result, into: result) { return .fault(fault) }
      return .fulfilled
    }
    let error = frame.error.pointee
    let isFilled = error.kind != promise_kind_t(PROMISE_KIND_VOID)
    if isFilled, isWellFormed(frame.error) {
      result.pointee = error
      return .rejected
    }
    let message = "the function failed with \(String(cString: promise_status_name(status))), and gave no error"
    return promise_value_error(result, "promise", Int64(status), message) == PROMISE_OK ? .rejected : .fault(.noMemory)
  }

  /// Whether the library knows the value for one of its own.
  private static func isWellFormed(_ value: UnsafeMutablePointer<promise_value_t>) -> Bool {
    guard promise_value_retain(value) == PROMISE_OK else { return false }
    var copy = value.pointee
    return promise_value_release(&copy) == PROMISE_OK
  }
}
