/// Checks the references between the parts of a signature, after all are parsed.
struct SignatureCheck {
  /// The columns of the parameters' types.
  var parameterColumns: [Int] = []
  /// The columns of the names after `by`.
  var completionColumns: [Int] = []
  var resultColumn = 1
  /// The column of the name after `counts`.
  var countedColumn = 1
  var failureColumn = 1
  /// The indices of the parameters that count written elements, and the columns of the names after `counts`.
  var fieldCounts: [(index: Int, column: Int)] = []
  /// The names and columns of the arguments of the call that returns a failure's message.
  var messageColumns: [(name: String, column: Int)] = []

  func check(_ signature: Signature, _ cursor: SignatureCursor) throws(SignatureError) {
    for index in signature.parameters.indices {
      let parameter = signature.parameters[index]
      let column = parameterColumns[index]
      if let name = parameter.type.countName { try checkCount(name, of: parameter, in: signature, cursor, column) }
      if let name = parameter.type.returnedCountName {
        try checkGiven(name, parameter.type, in: signature, cursor, column)
      }
      if case .context(let name) = parameter.type { try checkContext(name, in: signature, cursor, column) }
      if let type = parameter.type.callbackType {
        try checkCallback(type, parameter, in: signature, cursor, column)
      }
      if parameter.direction != .input, parameter.name == "result", signature.result != nil {
        throw cursor.error(
          at: column, found: "an out parameter 'result'", expected: "another name: the function's result has that one")
      }
    }
    try checkFields(of: signature, cursor)
    try checkResult(signature, cursor)
    try checkSize(signature, cursor)
  }

  private func checkCount(
    _ name: String, of parameter: Parameter, in signature: Signature, _ cursor: SignatureCursor, _ column: Int
  ) throws(SignatureError) {
    guard let count = signature.parameters.first(where: { $0.name == name }), count.type.isInteger else {
      throw cursor.error(
        at: column, found: "'\(parameter.type)'", expected: "the name of an integer among the parameters as its count")
    }
    guard parameter.direction != .output || count.direction != .output else {
      throw cursor.error(
        at: column, found: "an out parameter whose count '\(name)' is one too",
        expected: "a count that says how much there is room for: '\(name): inout \(count.type)'")
    }
    guard count.defaultValue == nil || parameter.direction == .output else {
      throw cursor.error(
        at: column, found: "the count '\(name)', which has a default",
        expected: "no default: the host counts the elements of the argument")
    }
  }

  /// Checks the count of memory that the function returns.
  private func checkGiven(
    _ name: String, _ type: ValueType, in signature: Signature, _ cursor: SignatureCursor, _ column: Int
  ) throws(SignatureError) {
    let count = signature.parameters.first { $0.name == name }
    let isResult = count == nil && name == Signature.countOfResult
    guard (isResult ? signature.returned : count?.type)?.isInteger ?? false else {
      throw cursor.error(
        at: column, found: "'\(type)'",
        expected: "the name of an integer among the parameters as its count, such as '\(name): out usize', or 'result'"
          + " for an integer that the function returns")
    }
  }

  private func checkContext(
    _ name: String?, in signature: Signature, _ cursor: SignatureCursor, _ column: Int
  ) throws(SignatureError) {
    let callbacks = signature.parameters.filter { $0.type.callbackWithContext != nil }
    if let name {
      guard callbacks.contains(where: { $0.name == name }) else {
        throw cursor.error(
          at: column, found: "'context<\(name)>'", expected: "the name of a parameter that is an fn(context, ...)")
      }
    } else if callbacks.isEmpty {
      throw cursor.error(
        at: column, found: "'context'", expected: "an fn(context, ...) among the parameters, whose context it is")
    }
  }

  private func checkCallback(
    _ type: CallbackType, _ parameter: Parameter, in signature: Signature, _ cursor: SignatureCursor, _ column: Int
  ) throws(SignatureError) {
    let settles = signature.completion?.callbacks.contains(parameter.name) ?? false
    if !settles, type.parameters.contains(where: { $0.role != nil }) {
      throw cursor.error(
        at: column, found: "a callback with 'resolve' or 'reject'",
        expected: "'-> promise<T> by \(parameter.name)' after the parameters")
    }
    if type.scope == .settled {
      guard case .promise = signature.result else {
        throw cursor.error(at: column, found: "'@settled'", expected: "a function that returns a promise")
      }
    }
  }

  private func checkResult(_ signature: Signature, _ cursor: SignatureCursor) throws(SignatureError) {
    if case .promise = signature.result, let output = signature.outputs.first {
      throw cursor.error(
        at: resultColumn, found: "a promise beside the out parameter '\(output.name)'",
        expected: "one or the other: a call that returns a promise returns nothing else")
    }
    if let name = signature.countedByResult {
      let parameter = signature.parameters.first { $0.name == name }
      guard let parameter, parameter.direction == .output, parameter.type.isCountedOnce,
        signature.result?.isInteger ?? false
      else {
        throw cursor.error(
          at: countedColumn, found: "'\(name)'",
          expected: "an out parameter with a count, bytes[n], bytes[64], str[n] or &[T; n], and an integer as the "
            + "result")
      }
    }
    if let result = signature.result, let name = result.returnedCountName ?? result.countName {
      try checkGiven(name, result, in: signature, cursor, resultColumn)
    }
    if case .promise(let held?) = signature.result, signature.completion == nil, !held.canBeHeldByC {
      throw cursor.error(
        at: resultColumn, found: "'promise<\(held)>'",
        expected: "a promise of scalars, text, bytes, a ptr<Name>, a value, or structs and slices of scalars, unless a "
          + "callback settles it: C has no other values")
    }
    if let completion = signature.completion { try checkCompletion(completion, of: signature, cursor) }
    if signature.variadicIndex != nil, let failure = signature.failure, failure == .status || failure == .gerror {
      throw cursor.error(
        at: failureColumn, found: "'\(failure.mark(signature.failureDetails))' of a variadic function",
        expected: "another rule: C has no parameter behind those of '...'")
    }
    if signature.variadicIndex != nil, let returned = signature.returned, Signature.isGivenByAddress(returned) {
      throw cursor.error(
        at: resultColumn, found: "'\(returned)', the result of a variadic function",
        expected: "a result that C returns: C has no parameter for its address behind those of '...'")
    }
    guard let failure = signature.failure, failure != .status else { return }
    try checkMessage(of: signature, cursor)
    if failure == .gerror {
      guard case .promise = signature.result else { return }
      throw cursor.error(at: failureColumn, found: "'! gerror' after a promise", expected: "'!', or another rule")
    }
    guard let returned = signature.returned, failure.suits(returned) else {
      let found = signature.returned.map { "'! \(failure.rawValue)' after '\($0)'" } ?? "'! \(failure.rawValue)'"
      throw cursor.error(at: failureColumn, found: found, expected: "\(failure.expectation) as the result in C")
    }
  }

  private func checkCompletion(
    _ completion: Signature.Completion, of signature: Signature, _ cursor: SignatureCursor
  ) throws(SignatureError) {
    guard case .promise(let held) = signature.result else { return }
    var resolves = false
    for (name, column) in zip(completion.callbacks, completionColumns) {
      guard let parameter = signature.parameters.first(where: { $0.name == name }),
        case .callback(let type) = parameter.type
      else {
        throw cursor.error(at: column, found: "'\(name)'", expected: "the name of a parameter that is an fn(...)")
      }
      guard completion.callbacks.count(where: { $0 == name }) == 1 else {
        throw cursor.error(at: column, found: "'\(name)' again", expected: "another callback")
      }
      if let output = type.outputs.first {
        throw cursor.error(
          at: column, found: "'\(name)' with '\(output.direction.prefix)\(output.type)'",
          expected: "a callback without out parameters: no closure runs that could set them")
      }
      guard type.scope == .once || type.scope == .settled else {
        throw cursor.error(
          at: column, found: "'\(name)', whose scope is @\(type.scope.rawValue)",
          expected: "a callback with @once, or @settled if it may be called again")
      }
      guard let resolve = type.parameters.first(where: { $0.role == .resolve }) else { continue }
      guard resolve.type.content == held?.content else {
        throw cursor.error(
          at: column, found: "a callback that resolves with '\(resolve.type)'",
          expected: "\(ValueType.promise(held)): the same type")
      }
      resolves = true
    }
    guard resolves || held == nil else {
      throw cursor.error(
        at: completionColumns.first ?? resultColumn, found: "callbacks without 'resolve'",
        expected: "'resolve \(held?.description ?? "")' before one of their parameters")
    }
  }

  /// Checks that the arguments passed by value fit on a stack.
  private func checkSize(_ signature: Signature, _ cursor: SignatureCursor) throws(SignatureError) {
    var size = 0
    for (parameter, column) in zip(signature.parameters, parameterColumns) where parameter.direction == .input {
      size += TypeLayout(of: parameter.type)?.size ?? 0
      if size > SignatureLimits.sizeByValue {
        throw cursor.error(
          at: column, found: "arguments of more than \(SignatureLimits.sizeByValue) bytes",
          expected: "less by value; pass a ptr<Name>")
      }
    }
  }
}

extension ValueType {
  /// Whether a promise_value_t can hold the type: see `docs/signatures.md`, "Values of promises".
  fileprivate var canBeHeldByC: Bool {
    switch content.kind {
    case .structure: content.isPlain
    case .list(let element, _): element.isPlain && !content.isAddress
    default: true
    }
  }

  /// The callback type, if it takes a context.
  var callbackWithContext: CallbackType? {
    callbackType.flatMap { $0.contextIndex == nil ? nil : $0 }
  }
}
