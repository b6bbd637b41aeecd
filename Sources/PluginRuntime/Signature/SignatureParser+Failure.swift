extension SignatureParser {
  /// Parses the failure mark at the end of a signature.
  ///
  /// - Parameter returned: the type of the C result, the argument of a message function without arguments of its own.
  mutating func failure(
    _ returned: ValueType?, _ check: inout SignatureCheck
  ) throws(SignatureError) -> (rule: FailureRule?, details: FailureDetails) {
    check.failureColumn = cursor.next.column
    guard cursor.skip("!") else { return (nil, FailureDetails()) }
    let column = cursor.next.column
    let rule = try rule(besides: [.always, .nonnull]) ?? .status
    switch rule {
    case .status: return (rule, FailureDetails())
    case .gerror: return (rule, FailureDetails(release: try errorRelease(column)))
    case .unless:
      let successes = try successes()
      return (rule, FailureDetails(successes: successes, message: try message(returned, &check)))
    case .test:
      let test = try self.test(returned, &check)
      return (rule, FailureDetails(test: test, message: try message(returned, &check)))
    default: return (rule, FailureDetails(message: try message(returned, &check)))
    }
  }

  /// Parses the call that decides on failure, and the type of its result if that is not an i32.
  private mutating func test(
    _ returned: ValueType?, _ check: inout SignatureCheck
  ) throws(SignatureError) -> FailureDetails.Test {
    let call = try self.call("the function that says whether the result is a failure", returned, &check)
    guard cursor.skip("->") else { return FailureDetails.Test(call: call, type: .i32) }
    let column = cursor.next.column
    let type = try self.type(.returned)
    guard let scalar = type.scalar, scalar.form != .float else {
      throw cursor.error(
        at: column, found: "'\(type)'", expected: "an integer or a bool, which is not 0 after a failure")
    }
    return FailureDetails.Test(call: call, type: scalar)
  }

  /// Parses the results that mean success: `0 or 100 or 101`.
  private mutating func successes() throws(SignatureError) -> [Int64] {
    var numbers: [Int64] = []
    repeat {
      guard case .word(let word) = cursor.next.token, let number = Int64(word), String(number) == word else {
        throw cursor.error(expected: "a result that is not a failure, such as 0")
      }
      guard !numbers.contains(number) else {
        throw cursor.error(expected: "each result once")
      }
      numbers.append(number)
      cursor.advance()
    } while cursor.skip(word: "or")
    return numbers
  }

  /// Parses the function that frees the error, in parentheses, if it is next.
  private mutating func errorRelease(_ column: Int) throws(SignatureError) -> String {
    guard cursor.skip("(") else {
      releases.append((FailureDetails.releaseOfGLib, column))
      return FailureDetails.releaseOfGLib
    }
    let column = cursor.next.column
    let name = try identifier("the function that frees the error")
    releases.append((name, column))
    try cursor.require(")", or: " after the name of the function that frees the error")
    return name
  }

  /// Parses `message f(...)`, if it is next.
  private mutating func message(
    _ returned: ValueType?, _ check: inout SignatureCheck
  ) throws(SignatureError) -> FailureDetails.Message? {
    guard cursor.skip(word: "message") else { return nil }
    return try call("the function that returns the message", returned, &check)
  }

  /// Parses `f(...)`, a call of a function of the library. Without parentheses `f` takes the result, if that is a code.
  private mutating func call(
    _ what: String, _ returned: ValueType?, _ check: inout SignatureCheck
  ) throws(SignatureError) -> FailureDetails.Message {
    let column = cursor.next.column
    let name = try identifier(what)
    guard cursor.next.token == .symbol("(") else {
      releases.append((name, column))
      let isCode = returned?.isInteger ?? false
      return FailureDetails.Message(function: name, arguments: isCode ? [.result(isNegated: false)] : [])
    }
    return try call(name, column, &check)
  }

  /// Parses the arguments of a call, and its parentheses.
  private mutating func call(
    _ name: String, _ column: Int, _ check: inout SignatureCheck
  ) throws(SignatureError) -> FailureDetails.Message {
    guard depth < SignatureLimits.nesting else {
      throw cursor.error(expected: "calls nested at most \(SignatureLimits.nesting) deep")
    }
    depth += 1
    defer { depth -= 1 }
    releases.append((name, column))
    var arguments: [FailureDetails.Message.Argument] = []
    try cursor.require("(")
    if cursor.skip(")") { return FailureDetails.Message(function: name, arguments: []) }
    repeat {
      guard arguments.count < SignatureLimits.messageArguments else {
        throw cursor.error(expected: "at most \(SignatureLimits.messageArguments) arguments")
      }
      arguments.append(try argument(&check))
    } while cursor.skip(",")
    try cursor.require(")", or: " or ',' after the argument")
    return FailureDetails.Message(function: name, arguments: arguments)
  }

  private mutating func argument(
    _ check: inout SignatureCheck
  ) throws(SignatureError) -> FailureDetails.Message.Argument {
    let column = cursor.next.column
    if cursor.skip(word: "-result") {
      check.messageColumns.append(("-result", column))
      return .result(isNegated: true)
    }
    let name = try identifier("a parameter, result, -result or another call")
    if cursor.next.token == .symbol("(") { return .call(try call(name, column, &check)) }
    check.messageColumns.append((name, column))
    return name == "result" ? .result(isNegated: false) : .parameter(name)
  }
}

extension SignatureCheck {
  /// Checks that the message's arguments are numbers, addresses or texts that are available after the function has
  /// failed.
  func checkMessage(of signature: Signature, _ cursor: SignatureCursor) throws(SignatureError) {
    for (name, column) in messageColumns {
      guard name != "result", name != "-result" else {
        let returned = signature.returned
        guard let returned, returned.isInteger || name == "result" && returned.isAddress else {
          throw cursor.error(at: column, found: "'\(name)'", expected: "a function that returns a number or an address")
        }
        continue
      }
      guard let parameter = signature.parameters.first(where: { $0.name == name }) else {
        throw cursor.error(
          at: column, found: "'\(name)'", expected: "a parameter of the function, 'result' or '-result'")
      }
      guard parameter.isMessageArgument else {
        throw cursor.error(
          at: column, found: "'\(name)', which is \(parameter.direction.prefix)\(parameter.type)",
          expected: "an integer, a ptr<Name>, or a cstr that the function was given")
      }
    }
  }
}

extension Parameter {
  /// Whether the parameter's value can be passed to a message function.
  fileprivate var isMessageArgument: Bool {
    switch type.unwrapped {
    case .pointer: true
    // The function may have destroyed an object among its arguments.
    case .own(.pointer, _): direction == .output
    case .cstr: direction == .input
    default: type.isInteger
    }
  }
}
