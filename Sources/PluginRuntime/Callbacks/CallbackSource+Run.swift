import CPromise

extension CallbackSource {
  /// Runs a caller's callback.
  func run(
    _ callback: PluginCallback, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer
  ) throws {
    if conversion.hasOutputs { conversion.clearOutputs(arguments) }
    switch callback.body {
    case .values(let body): try run(body, arguments, result)
    case .binary(let body):
      guard let scalars = conversion.scalars else { return try runGeneral(body, arguments, result) }
      var rejection: promise_value_t?
      do throws(ScalarConversion.Fault) {
        rejection = try scalars.run(body, arguments, result)
      } catch .argument(let index) {
        // Loads the argument again, for an error with a description.
        _ = try load(arguments)
        throw misuse(ArgumentMismatch(message: "argument \(index + 1) is not a value of its type"))
      } catch .result(let name) {
        throw misuse(result: ArgumentMismatch(message: "is \(name), expected \(expectation)"))
      }
      if var rejection { throw take(&rejection) }
    }
  }

  private func run(
    _ body: ([PluginValue]) throws -> PluginValue, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?,
    _ result: UnsafeMutableRawPointer
  ) throws {
    try store(try body(try load(arguments)), at: result, arguments)
  }

  /// Runs a binary body on the general path, with values converted by way of Swift.
  private func runGeneral(
    _ body: PluginCallback.Binary, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?,
    _ result: UnsafeMutableRawPointer
  ) throws {
    let passed = conversion.arguments.filter(\.isPassed)
    var values: [promise_value_t] = []
    defer { for index in values.indices { promise_value_release(&values[index]) } }
    for (argument, value) in zip(passed, try load(arguments)) { values.append(try argument.plan.abi(value)) }
    var returned = promise_value_t()
    returned.kind = promise_kind_t(PROMISE_KIND_VOID)
    // One more element, so that the buffer has an address even without arguments.
    let state = (values + [promise_value_t()]).withUnsafeBufferPointer { buffer in
      body(buffer.baseAddress.unsafelyUnwrapped, values.count, &returned)
    }
    guard state == PROMISE_FULFILLED else { throw take(&returned) }
    defer { promise_value_release(&returned) }
    let typed = conversion.hasOutputs ? nil : conversion.result
    let value: PluginValue
    do throws(ArgumentMismatch) {
      value = if let typed { try typed.value(&returned) } else { try PluginValue(&returned) }
    } catch {
      throw misuse(result: error)
    }
    try store(value, at: result, arguments)
  }

  private func load(_ arguments: UnsafePointer<UnsafeMutableRawPointer?>?) throws -> [PluginValue] {
    do throws(ArgumentMismatch) {
      return try conversion.load(arguments)
    } catch {
      throw misuse(error)
    }
  }

  private func store(
    _ value: PluginValue, at memory: UnsafeMutableRawPointer, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?
  ) throws {
    do throws(ArgumentMismatch) {
      try conversion.store(value, at: memory, arguments)
    } catch {
      throw misuse(result: error)
    }
  }

  private var expectation: String { type.result?.expectation ?? "nothing" }

  /// Returns the error for a result that does not match the signature.
  private func misuse(result mismatch: ArgumentMismatch) -> PluginError {
    let path = mismatch.path.isEmpty ? "it" : mismatch.path
    return PluginError(
      .badResult, function,
      "the callback '\(parameter)' returned a value that does not suit its signature: \(path) \(mismatch.message)")
  }

  /// Converts a rejection's reason to an error. Takes over the reference.
  private func take(_ reason: inout promise_value_t) -> any Error {
    defer { promise_value_release(&reason) }
    return CallbackRejection(reason: reason.reason)
  }
}

/// An error with a reason of any type, from a binary callback or from another process.
struct CallbackRejection: Error, @unchecked Sendable {
  let reason: Any?
}

extension promise_value_t {
  /// Converts a callback's error to a reason. The caller owns the reference.
  init(thrown error: any Error) {
    if let rejection = error as? CallbackRejection {
      self.init(reason: rejection.reason)
    } else {
      self.init(reason: error)
    }
  }
}
