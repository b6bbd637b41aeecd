/// Parses a signature by the grammar in `docs/signatures.md`.
struct SignatureParser {
  var cursor: SignatureCursor
  /// The nesting depth of the next type.
  var depth = 0
  /// The release functions in `own(f)`, with their columns.
  var releases: [(name: String, column: Int)] = []

  init(_ text: String) throws(SignatureError) { cursor = try SignatureCursor(text) }

  mutating func parse() throws(SignatureError) -> Signature {
    let name = try identifier("the function's name")
    try cursor.require("(", or: " after the function's name")
    var check = SignatureCheck()
    let (parameters, tail, variadicIndex) = try self.parameters(&check)
    let hasResult = cursor.skip("->")
    var result: ValueType?
    var completion: Signature.Completion?
    var note: String?
    var countedByResult: String?
    check.resultColumn = cursor.next.column
    if hasResult {
      if !cursor.skip(word: "void") { result = try type(.result) }
      completion = try self.completion(of: result, &check)
      countedByResult = try self.countedByResult(&check)
      note = try self.note()
    }
    let (failure, failureDetails) = try self.failure(completion.map(\.returns) ?? result, &check)
    guard cursor.next.token == .end else {
      let expected =
        failure == .status
        ? "the end of the signature, or one of \(Self.list(FailureRule.ofFunctions))"
        : failure != nil
          ? "\(failure == .gerror || failureDetails.message != nil ? "" : "'message' or ")the end of the signature"
          : "\(hasResult ? "" : "'->', ")'!' or the end of the signature"
      throw cursor.error(expected: expected)
    }
    let signature = Signature(
      name: name, parameters: parameters, tail: tail, variadicIndex: variadicIndex, result: result, resultNote: note,
      completion: completion, failure: failure, failureDetails: failureDetails, countedByResult: countedByResult)
    try check.check(signature, cursor)
    return signature
  }

  /// Parses the parameters and the closing parenthesis.
  private mutating func parameters(
    _ check: inout SignatureCheck
  ) throws(SignatureError) -> ([Parameter], Signature.Tail?, variadicIndex: Int?) {
    var parameters: [Parameter] = []
    var variadicIndex: Int?
    if cursor.skip(")") { return (parameters, nil, nil) }
    while true {
      let column = cursor.next.column
      if cursor.skip("...") {
        guard !parameters.isEmpty else {
          throw cursor.error(at: column, found: "'...'", expected: "a parameter before it, as C wants one")
        }
        guard variadicIndex == nil else {
          throw cursor.error(at: column, found: "a second '...'", expected: "a parameter")
        }
        if cursor.skip(",") {
          variadicIndex = parameters.count
          continue
        }
        let tail = try self.tail(parameters)
        try cursor.require(")", or: " after the variadic tail, which is the last")
        return (parameters, tail, nil)
      }
      let name = try identifier(parameters.isEmpty ? "a parameter's name or ')'" : "a parameter's name")
      try unique(name, among: parameters.map(\.name), "parameter", column)
      guard parameters.count < SignatureLimits.parameters else {
        throw cursor.error(
          at: column, found: "one more parameter, '\(name)'", expected: "at most \(SignatureLimits.parameters) of them")
      }
      try cursor.require(":", or: " and a type after the parameter's name")
      check.parameterColumns.append(cursor.next.column)
      if cursor.skip(word: "at") {
        parameters += try fields(of: name, after: parameters, &check)
      } else {
        var parameter = try parameter(name, isVariadic: variadicIndex != nil)
        try counts(&parameter, parameters.count, &check)
        parameters.append(parameter)
      }
      if cursor.skip(")") { return (parameters, nil, variadicIndex) }
      guard cursor.skip(",") else {
        let hasDefault = parameters.last?.defaultValue != nil
        throw cursor.error(expected: hasDefault ? "',' or ')'" : "'=', ',' or ')'")
      }
    }
  }

  /// Parses a parameter after its name and colon.
  mutating func parameter(_ name: String, isVariadic: Bool) throws(SignatureError) -> Parameter {
    let isConstant = cursor.skip(word: "const")
    let isKept = !isConstant && cursor.skip(word: "keep")
    let direction: Parameter.Direction =
      isConstant || isKept ? .input : cursor.skip(word: "out") ? .output : cursor.skip(word: "inout") ? .inOut : .input
    let allocatedSize = direction == .output ? try self.allocatedSize() : nil
    let canMove = !isConstant && !isKept && direction != .inOut && allocatedSize == nil
    let isMoved = canMove && cursor.skip(word: "moving")
    let column = cursor.next.column
    let type = try self.type(
      allocatedSize != nil
        ? .hostAllocated : isVariadic && direction == .input && !isConstant ? .tail : Place(direction))
    if isConstant, !type.canBeConstant || isVariadic && type.isScalar && Place.tail.refusal(of: type) != nil {
      throw cursor.error(
        at: column, found: "'const \(type)'",
        expected: "a scalar, a cstr or a ptr<Name>? as a constant\(isVariadic ? ", as C promotes it behind '...'" : "")"
      )
    }
    if isKept, !type.canBeKept {
      throw cursor.error(
        at: column, found: "'keep \(type)'",
        expected: "an address of data without objects in it, such as cstr, bytes[n], str[n] or &[T; n]: a copy of the "
          + "data stays")
    }
    if isMoved, !type.isCounted {
      throw cursor.error(
        at: column, found: "'moving \(type)'",
        expected: "the address of elements: bytes[n], str[n], &[T; n], or with * as the count")
    }
    let constants = try self.constants(of: type, Place(direction))
    var defaultValue: PluginValue?
    if direction == .output, cursor.next.token == .symbol("=") {
      throw cursor.error(expected: "no default: an out parameter takes no argument")
    }
    if isConstant, cursor.next.token != .symbol("=") {
      throw cursor.error(
        expected: "'=' and the value of the constant; for C's const, leave the word out: arguments are const")
    }
    if cursor.skip("=") {
      if let constants {
        defaultValue = try self.defaultValue(among: constants)
      } else {
        defaultValue = try self.defaultValue(of: type)
      }
    }
    return Parameter(
      name: name, type: type, direction: direction, allocatedSize: allocatedSize, constants: constants,
      defaultValue: defaultValue,
      isConstant: isConstant, isKept: isKept, isMoved: isMoved, note: try note())
  }

  /// Parses the `(64)` of `out(64)`, the size of an object that the host allocates, if it is next.
  private mutating func allocatedSize() throws(SignatureError) -> Int? {
    guard cursor.skip("(") else { return nil }
    guard case .word(let word) = cursor.next.token, let size = Int(word), (1...SignatureLimits.size).contains(size)
    else { throw cursor.error(expected: "the object's size in bytes, from 1 to \(SignatureLimits.size)") }
    cursor.advance()
    try cursor.require(")", or: " after the object's size")
    return size
  }

  /// Parses the typed tail of a variadic function, after its dots.
  private mutating func tail(_ parameters: [Parameter]) throws(SignatureError) -> Signature.Tail {
    var name: String?
    let column = cursor.next.column
    if cursor.next.token != .symbol(":") {
      let given = try identifier("a name for the variadic tail, ':' or ','")
      try unique(given, among: parameters.map(\.name), "parameter", column)
      name = given
    }
    try cursor.require(":", or: " and the types that the variadic tail takes")
    var types: [ValueType] = []
    repeat {
      let column = cursor.next.column
      let type = try self.type(.tail)
      guard !types.contains(type) else {
        throw cursor.error(at: column, found: "a second '\(type)'", expected: "each type of the tail once")
      }
      types.append(type)
    } while cursor.skip("|")
    return Signature.Tail(name: name, types: types, note: try note())
  }

  /// Parses `by callback or callback returns type`, after the type of the result.
  private mutating func completion(
    of result: ValueType?, _ check: inout SignatureCheck
  ) throws(SignatureError) -> Signature.Completion? {
    let column = cursor.next.column
    guard cursor.skip(word: "by") else { return nil }
    guard case .promise = result else {
      throw cursor.error(at: column, found: "'by'", expected: "a promise<T> before it, which callbacks settle")
    }
    var callbacks: [String] = []
    repeat {
      check.completionColumns.append(cursor.next.column)
      callbacks.append(try identifier("the parameter that is the callback"))
    } while cursor.skip(word: "or")
    var returns: ValueType?
    if cursor.skip(word: "returns"), !cursor.skip(word: "void") { returns = try type(.returned) }
    return Signature.Completion(callbacks: callbacks, returns: returns)
  }

  /// Parses `counts parameter`, after the type of the result.
  private mutating func countedByResult(_ check: inout SignatureCheck) throws(SignatureError) -> String? {
    guard cursor.skip(word: "counts") else { return nil }
    check.countedColumn = cursor.next.column
    return try identifier("the out parameter whose elements the result counts")
  }

  /// Parses a failure rule, if one is next.
  mutating func rule(besides excluded: Set<FailureRule> = []) throws(SignatureError) -> FailureRule? {
    guard case .word(let word) = cursor.next.token, let rule = FailureRule(rawValue: word), rule != .status,
      !excluded.contains(rule)
    else { return nil }
    cursor.advance()
    return rule
  }

  /// Parses a "description", if one is next.
  mutating func note() throws(SignatureError) -> String? {
    cursor.next.token == .quote ? try cursor.string() : nil
  }

  mutating func identifier(_ what: String) throws(SignatureError) -> String {
    guard case .word(let word) = cursor.next.token, word.unicodeScalars.first.map({ !("0"..."9" ~= $0) }) ?? false,
      word.unicodeScalars.allSatisfy({ "a"..."z" ~= $0 || "A"..."Z" ~= $0 || "0"..."9" ~= $0 || $0 == "_" })
    else { throw cursor.error(expected: "\(what) (letters of ASCII, digits and '_', no digit first)") }
    cursor.advance()
    return word
  }

  func unique(_ name: String, among names: [String], _ kind: String, _ column: Int) throws(SignatureError) {
    guard !names.contains(name) else {
      throw cursor.error(at: column, found: "a second \(kind) '\(name)'", expected: "another name")
    }
  }

  static func list(_ rules: [FailureRule]) -> String { rules.map(\.rawValue).joined(separator: ", ") }
}

extension FailureRule {
  /// The rules that may follow `!`.
  static let ofFunctions: [FailureRule] = [.errno, .nonzero, .zero, .negative, .null, .gerror, .unless, .test]
}

extension ValueType {
  /// Whether a constant parameter can have the type; an address only as NULL.
  fileprivate var canBeConstant: Bool {
    if case .optional(.pointer) = self { true } else { isScalar || self == .cstr }
  }
}
