import CPromise

extension CallbackSource {
  /// Runs what a caller gave.
  func run(
    _ callback: PluginCallback, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer
  ) throws {
    switch callback.body {
    case .values(let body): try run(body, arguments, result)
    case .binary(let body):
      guard let scalars = crossing.scalars else { return try runGeneral(body, arguments, result) }
      var rejection: promise_value_t?
      do throws(ScalarCrossing.Fault) {
        rejection = try scalars.run(body, arguments, result)
      } catch .argument(let index) {
        // A second look finds the words for it.
        _ = try load(arguments)
        throw misuse(ArgumentMismatch(message: "argument \(index + 1) is none of its type"))
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
    try store(try body(try load(arguments)), at: result)
  }

  /// A binary body whose arguments are more than scalars: by way of the values of Swift.
  private func runGeneral(
    _ body: PluginCallback.Binary, _ arguments: UnsafePointer<UnsafeMutableRawPointer?>?,
    _ result: UnsafeMutableRawPointer
  ) throws {
    let given = crossing.arguments.filter(\.isGiven)
    var values: [promise_value_t] = []
    defer { for index in values.indices { promise_value_release(&values[index]) } }
    for (argument, value) in zip(given, try load(arguments)) { values.append(try argument.plan.abi(value)) }
    var returned = promise_value_t()
    returned.kind = promise_kind_t(PROMISE_KIND_VOID)
    // One more, so that there is an address if there is no argument.
    let state = (values + [promise_value_t()]).withUnsafeBufferPointer { buffer in
      body(buffer.baseAddress.unsafelyUnwrapped, values.count, &returned)
    }
    guard state == PROMISE_FULFILLED else { throw take(&returned) }
    defer { promise_value_release(&returned) }
    guard let value = crossing.result.map({ $0.value(&returned) }) ?? PluginValue(&returned) else {
      throw misuse(result: ArgumentMismatch(message: "is \(returned.nameOfContent), expected \(expectation)"))
    }
    try store(value, at: result)
  }

  private func load(_ arguments: UnsafePointer<UnsafeMutableRawPointer?>?) throws -> [PluginValue] {
    do throws(ArgumentMismatch) {
      return try crossing.load(arguments)
    } catch {
      throw misuse(error)
    }
  }

  private func store(_ value: PluginValue, at memory: UnsafeMutableRawPointer) throws {
    do throws(ArgumentMismatch) {
      try crossing.store(value, at: memory)
    } catch {
      throw misuse(result: error)
    }
  }

  private var expectation: String { type.result?.expectation ?? "nothing" }

  /// What is wrong with what the callback gave.
  private func misuse(result mismatch: ArgumentMismatch) -> PluginError {
    let path = mismatch.path.isEmpty ? "it" : mismatch.path
    return PluginError(
      .badArgument, function,
      "the callback '\(parameter)' returned what its signature does not say: \(path) \(mismatch.message)")
  }

  /// A rejection's reason as an error, which takes over the reference.
  private func take(_ reason: inout promise_value_t) -> any Error {
    defer { promise_value_release(&reason) }
    return CallbackRejection(reason: reason.reason)
  }
}

/// What a binary callback rejected with.
private struct CallbackRejection: Error, @unchecked Sendable {
  let reason: Any?
}

extension promise_value_t {
  /// What a callback threw as a reason, as a reference of the caller's.
  init(thrown error: any Error) {
    if let rejection = error as? CallbackRejection {
      self.init(reason: rejection.reason)
    } else {
      self.init(reason: error)
    }
  }
}
