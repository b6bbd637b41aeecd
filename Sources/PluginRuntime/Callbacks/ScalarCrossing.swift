import CPromise

/// How a callback's arguments and its result cross if all of them are scalars or addresses: without an allocation, and
/// without a look at a type. It lives as long as the process, as its callback's source does.
struct ScalarCrossing: Sendable {
  private struct Step {
    let crossing: Crossing
    /// Which argument it is to C.
    let index: Int
  }

  // Only read.
  private nonisolated(unsafe) let steps: UnsafeMutableBufferPointer<Step>
  private nonisolated(unsafe) let result: UnsafeMutablePointer<CallPlan.Parameter>?

  /// `nil` if there is something else.
  init?(_ arguments: [CallbackCrossing.Argument], _ result: TypePlan?) {
    let given = arguments.indices.filter { arguments[$0].isGiven }
    guard given.allSatisfy({ arguments[$0].plan.type.isWord && arguments[$0].count == nil }) else { return nil }
    guard result?.type.isWord ?? true else { return nil }
    steps = .allocate(capacity: given.count)
    for (position, index) in given.enumerated() {
      steps.initializeElement(at: position, to: Step(crossing: Crossing(arguments[index].plan.type), index: index))
    }
    self.result = result.map { plan in
      let parameter = UnsafeMutablePointer<CallPlan.Parameter>.allocate(capacity: 1)
      parameter.initialize(
        to: CallPlan.Parameter(Parameter(name: "result", type: plan.type), Crossing(plan.type), at: 0, plan))
      return parameter
    }
  }

  /// Runs a body. Gives what it rejected with, as a reference of the caller's; `nil` if it did not.
  ///
  /// - Throws: what is wrong with the arguments, with the index of one, or with what the body gave.
  func run(
    _ body: PluginCallback.Binary, _ addresses: UnsafePointer<UnsafeMutableRawPointer?>?,
    _ memory: UnsafeMutableRawPointer
  ) throws(Fault) -> promise_value_t? {
    var returned = promise_value_t()
    returned.kind = promise_kind_t(PROMISE_KIND_VOID)
    var fault: Fault?
    let state = withUnsafeTemporaryAllocation(of: promise_value_t.self, capacity: steps.count + 1) { values in
      // An allocation of a size that is not 0 has an address.
      let values = values.baseAddress.unsafelyUnwrapped
      for (position, step) in steps.enumerated() {
        // There is an address for each argument, from libffi as from our own thunks.
        guard let memory = addresses?[step.index] else { break }
        if ResultLoad.load(step.crossing, from: memory, into: values + position) != nil {
          fault = .argument(step.index)
          return promise_state_t(PROMISE_REJECTED)
        }
      }
      return body(values, steps.count, &returned)
    }
    if let fault { throw fault }
    guard state == PROMISE_FULFILLED else { return returned }
    defer { promise_value_release(&returned) }
    guard let result else {
      if returned.kind != promise_kind_t(PROMISE_KIND_VOID) { throw .result(returned.nameOfContent) }
      return nil
    }
    if ArgumentStore.store(&returned, as: result, index: 0, at: memory) != nil {
      throw .result(returned.nameOfContent)
    }
    return nil
  }

  /// What is wrong.
  enum Fault: Error {
    case argument(Int)
    /// What the body gave.
    case result(String)
  }
}

extension ValueType {
  /// Whether a value of it is one word, which owns nothing.
  fileprivate var isWord: Bool {
    switch self {
    case .pointer, .optional(.pointer): true
    default: isScalar
    }
  }
}
