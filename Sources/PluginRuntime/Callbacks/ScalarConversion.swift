import CPromise

/// The conversion of a callback whose arguments and result are all scalars or addresses: it allocates no memory and
/// tests no types. It lives as long as the process, like its callback's source.
struct ScalarConversion: Sendable {
  private struct Step {
    let abiType: ABIType
    /// The index of the argument in C.
    let index: Int
  }

  // Initialized once, then only read.
  private nonisolated(unsafe) let steps: UnsafeMutableBufferPointer<Step>
  private nonisolated(unsafe) let result: UnsafeMutablePointer<CallPlan.Parameter>?

  /// Makes the conversion; `nil` if an argument or the result has another type, or an argument is `out` or `inout`.
  init?(_ arguments: [CallbackConversion.Argument], _ result: TypePlan?) {
    let passed = arguments.indices.filter { arguments[$0].isPassed }
    guard passed.allSatisfy({ arguments[$0].plan.type.isWord && arguments[$0].count == nil }) else { return nil }
    guard !arguments.contains(where: \.isOutput) else { return nil }
    guard result?.type.isWord ?? true else { return nil }
    steps = .allocate(capacity: passed.count)
    for (position, index) in passed.enumerated() {
      steps.initializeElement(at: position, to: Step(abiType: ABIType(arguments[index].plan.type), index: index))
    }
    self.result = result.map { plan in
      let parameter = UnsafeMutablePointer<CallPlan.Parameter>.allocate(capacity: 1)
      parameter.initialize(
        to: CallPlan.Parameter(Parameter(name: "result", type: plan.type), ABIType(plan.type), at: 0, plan))
      return parameter
    }
  }

  /// Runs a body. Returns the reason, owned by the caller, if the body rejects; otherwise `nil`.
  ///
  /// - Throws: a fault with the index of a mismatched argument, or one for a mismatched result.
  func run(
    _ body: PluginCallback.Binary, _ addresses: UnsafePointer<UnsafeMutableRawPointer?>?,
    _ memory: UnsafeMutableRawPointer
  ) throws(Fault) -> promise_value_t? {
    var returned = promise_value_t()
    returned.kind = promise_kind_t(PROMISE_KIND_VOID)
    var fault: Fault?
    let state = withUnsafeTemporaryAllocation(of: promise_value_t.self, capacity: steps.count + 1) { values in
      // A nonempty allocation has an address.
      let values = values.baseAddress.unsafelyUnwrapped
      for (position, step) in steps.enumerated() {
        // libffi and our thunks provide an address for each argument.
        guard let memory = addresses?[step.index] else { break }
        if ResultLoad.load(step.abiType, from: memory, into: values + position) != nil {
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

  /// A mismatched argument or result.
  enum Fault: Error {
    case argument(Int)
    /// The body's result, described for errors.
    case result(String)
  }
}

extension ValueType {
  /// Whether a value is one word and owns no memory.
  fileprivate var isWord: Bool { isScalar || objectName != nil && !isOwn }
}
