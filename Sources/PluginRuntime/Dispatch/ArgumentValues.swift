import CPromise

/// The arguments of a call as values of C, in the order of the parameters. Owns their references.
final class ArgumentValues: Sendable {
  // Written only by the creating thread, before the object is shared.
  nonisolated(unsafe) let values: UnsafeMutablePointer<promise_value_t>
  private(set) nonisolated(unsafe) var count = 0
  /// The memory that the function borrows in addition to the values.
  private nonisolated(unsafe) var memory: CallArena?

  init(capacity: Int) {
    values = .allocate(capacity: capacity)
  }

  /// Retains borrowed values.
  convenience init(retaining borrowed: UnsafePointer<promise_value_t>?, count: Int) {
    self.init(capacity: count)
    guard let borrowed else { return }
    for index in 0..<count where promise_value_retain(borrowed + index) == PROMISE_OK { append(borrowed[index]) }
  }

  /// Retains borrowed values; `nil` if some are malformed.
  convenience init?(copying borrowed: UnsafePointer<promise_value_t>?, count: Int) {
    self.init(retaining: borrowed, count: count)
    if self.count != count { return nil }
  }

  deinit {
    for index in 0..<count { promise_value_release(values + index) }
    values.deallocate()
  }

  /// Keeps memory alive as long as the arguments. Call it before they are shared.
  func keep(_ memory: CallArena?) { self.memory = memory }

  /// Releases the callbacks, which have a scope of their own. Call it before the arguments are shared.
  func releaseCallbacks() {
    for index in 0..<count where PluginCallback(values + index) != nil {
      promise_value_release(values + index)
      values[index] = promise_value_t()
    }
  }

  /// Appends a value. Takes over its reference.
  func append(_ value: promise_value_t) {
    (values + count).initialize(to: value)
    count += 1
  }
}

extension ArgumentValues {
  /// Copies the arguments of another plugin's call, with each promise replaced by one that checks its value against the
  /// parameter's type. `nil` if there is no promise to replace.
  static func checkingPromises(
    _ borrowed: UnsafePointer<promise_value_t>?, _ count: Int, for function: BoundFunction
  ) -> ArgumentValues? {
    let parameters = function.signature.inputs
    guard let borrowed, count <= parameters.count, parameters.contains(where: { ABIType($0.type) == .promise }) else {
      return nil
    }
    let values = ArgumentValues(capacity: count)
    for index in 0..<count {
      if case .promise(let element) = parameters[index].type,
        borrowed[index].kind == promise_kind_t(PROMISE_KIND_PROMISE),
        let checked = PromiseBridge.checked(
          OpaquePointer(borrowed[index].as.ptr), of: element, function.inputPlans[index])
      {
        values.append(promise_value_t(promise: checked))
      } else if promise_value_retain(borrowed + index) == PROMISE_OK {
        values.append(borrowed[index])
      } else {
        // Malformed values are rejected later, unchanged.
        return nil
      }
    }
    return values
  }
}
