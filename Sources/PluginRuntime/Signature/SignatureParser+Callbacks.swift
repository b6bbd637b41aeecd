extension SignatureParser {
  /// Parses a callback, after its `fn`.
  mutating func callback() throws(SignatureError) -> CallbackType {
    try cursor.require("(", or: " after 'fn', and the parameters of the callback")
    var parameters: [CallbackType.Parameter] = []
    var columns: [Int] = []
    if !cursor.skip(")") {
      repeat {
        guard parameters.count < SignatureLimits.parameters else {
          throw cursor.error(expected: "at most \(SignatureLimits.parameters) parameters of a callback")
        }
        if cursor.next.token == .symbol("...") {
          throw cursor.error(expected: "a type: libffi cannot make a variadic callback")
        }
        columns.append(cursor.next.column)
        parameters.append(try callbackParameter(among: parameters.compactMap(\.name)))
      } while cursor.skip(",")
      try cursor.require(")", or: " or ',' after the callback's parameter")
    }
    try checkCallback(parameters, columns)
    var result: ValueType?
    if cursor.skip("->"), !cursor.skip(word: "void") { result = try type(.callbackResult) }
    return CallbackType(parameters: parameters, result: result, scope: try scope())
  }

  private mutating func callbackParameter(among names: [String]) throws(SignatureError) -> CallbackType.Parameter {
    var name: String?
    let column = cursor.next.column
    let start = cursor.position
    // A colon after the word distinguishes a name from a type.
    if case .word = cursor.next.token {
      cursor.advance()
      let isName = cursor.next.token == .symbol(":")
      cursor.position = start
      if isName {
        let word = try identifier("a parameter's name")
        try unique(word, among: names, "parameter", column)
        name = word
        cursor.advance()
      }
    }
    let direction: Parameter.Direction =
      cursor.skip(word: "out") ? .output : cursor.skip(word: "inout") ? .inOut : .input
    if direction != .input {
      guard let name, name != "result" else {
        throw cursor.error(
          at: column, found: "'\(direction == .output ? "out" : "inout")' without a name of its own",
          expected: "a name other than 'result': the object that a closure returns has a member of that name")
      }
      let type = try self.type(direction == .output ? .callbackOutput : .callbackInOut)
      return CallbackType.Parameter(name: name, type: type, direction: direction, role: nil)
    }
    guard cursor.skip(word: "reject") else {
      let role: CallbackType.Role? = cursor.skip(word: "resolve") ? .resolve : nil
      return CallbackType.Parameter(name: name, type: try type(.callbackParameter), direction: .input, role: role)
    }
    let given = try rule(besides: [.errno, .gerror, .unless, .test])
    let typeColumn = cursor.next.column
    let type = try self.type(.callbackParameter)
    let rule: FailureRule = given ?? (type.isInteger ? .nonzero : .nonnull)
    guard rule.suits(type) else {
      throw cursor.error(at: typeColumn, found: "'\(type)'", expected: rule.expectation)
    }
    return CallbackType.Parameter(name: name, type: type, direction: .input, role: .reject(rule))
  }

  /// Checks the references between a callback's parameters.
  private func checkCallback(_ parameters: [CallbackType.Parameter], _ columns: [Int]) throws(SignatureError) {
    for (index, parameter) in parameters.enumerated() {
      if let name = parameter.type.countName {
        guard let count = parameters.first(where: { $0.name == name }), count.type.isInteger,
          count.direction == .input
        else {
          throw cursor.error(
            at: columns[index], found: "'\(parameter.type)'",
            expected: "the name of an integer among the callback's parameters as its count")
        }
      }
      let earlier = parameters[..<index]
      if case .context(let name) = parameter.type {
        guard name == nil else {
          throw cursor.error(
            at: columns[index], found: "'\(parameter.type)'",
            expected: "'context' without a name: it is that of this callback")
        }
        if earlier.contains(where: { if case .context = $0.type { true } else { false } }) {
          throw cursor.error(at: columns[index], found: "a second context", expected: "one at most")
        }
      }
      if let role = parameter.role, earlier.contains(where: { $0.role?.isReject == role.isReject }) {
        let word = role.isReject ? "reject" : "resolve"
        throw cursor.error(at: columns[index], found: "a second '\(word)'", expected: "one at most in a callback")
      }
    }
  }

  private mutating func scope() throws(SignatureError) -> CallbackType.Scope {
    guard cursor.skip("@") else { return .call }
    guard case .word(let word) = cursor.next.token, let scope = CallbackType.Scope(rawValue: word) else {
      let names = CallbackType.Scope.allCases.map(\.rawValue).joined(separator: ", ")
      throw cursor.error(expected: "how long the callback may be called: one of \(names)")
    }
    cursor.advance()
    return scope
  }
}

extension CallbackType.Role {
  var isReject: Bool { self != .resolve }
}

extension FailureRule {
  /// Whether the rule applies to values of the type.
  func suits(_ type: ValueType) -> Bool {
    switch self {
    case .status: false
    case .errno: type.isInteger || type.isAddress || type == .fd
    case .nonzero, .zero: type.isInteger || type == .bool
    case .unless: type.isInteger
    case .test: type.isInteger || type.isAddress || type == .bool
    case .gerror: true
    case .negative: type.signedRange != nil || type == .fd
    case .null: type.isAddress && !type.isOptional
    case .nonnull: type.isAddress
    case .always: true
    }
  }

  /// The rule's types, in words.
  var expectation: String {
    switch self {
    case .errno: "an integer, an fd, a cstr or a ptr<Name>, whose -1 or NULL is a failure"
    case .nonzero, .zero: "an integer or a bool"
    case .negative: "a signed integer or an fd"
    case .unless: "an integer"
    case .test: "a number, a bool or an address"
    case .null: "a cstr or a ptr<Name>, without '?'"
    default: "a type that can be NULL"
    }
  }
}
