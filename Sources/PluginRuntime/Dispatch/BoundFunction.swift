import CPromise

/// A function of a loaded plugin, with its call plan.
final class BoundFunction: Sendable {
  // Written before the function is shared, then only read.
  nonisolated(unsafe) let plan: UnsafeMutablePointer<CallPlan>
  let signature: Signature
  let plugin: String

  /// The plan to read the call's result; `nil` without one.
  let resultPlan: TypePlan?
  /// The plans to convert arguments, in the order of the inputs and of the types of the tail (`TypePlan.ofElements`).
  let inputPlans: [TypePlan?]
  /// The types of arguments for the inputs, and whether a value for it only needs the check when it is stored.
  let inputTypes: [(type: ValueType, isPlain: Bool)]
  let tail: [(type: ValueType, plan: TypePlan?)]

  /// Makes the plans for a function; `nil` if this machine cannot call it.
  ///
  /// - Parameters:
  ///   - callbacks: holds the callbacks passed to the function.
  ///   - library: has the functions that release results.
  init?(
    _ signature: Signature, _ entry: @escaping promise_function_t, plugin: String,
    callbacks: CallbackRegistry = CallbackRegistry(),
    library: PluginLibrary? = nil
  ) {
    guard let plan = CallPlan.make(signature, entry, domain: plugin, callbacks: callbacks, library) else {
      return nil
    }
    let held: ValueType? = if case .promise(let held) = signature.result { held } else { signature.yielded }
    resultPlan = signature.outputs.isEmpty ? held.flatMap { TypePlan($0.content) } : nil
    inputPlans = signature.inputs.map { TypePlan.ofElements($0.type.valueType) }
    inputTypes = signature.inputs.map { input in
      let type = input.argumentType.valueType
      return (type, ValueType.simple.contains(type))
    }
    tail = signature.tail?.types.map { ($0, TypePlan.ofElements($0)) } ?? []
    self.plan = plan
    self.signature = signature
    self.plugin = plugin
  }

  /// The name of the function in errors: "org.example.digest.sha256".
  var qualifiedName: String { "\(plugin).\(signature.name)" }

  func error(_ kind: PluginError.Kind, _ message: String) -> PluginError {
    PluginError(kind, qualifiedName, message)
  }
}

extension BoundFunction {
  /// Converts a fault to an error with a description. The arguments are those of the call.
  func error(_ fault: CallFault, _ arguments: UnsafePointer<promise_value_t>?, _ count: Int) -> PluginError {
    switch fault {
    case .tooMany:
      tooMany(count, expected: signature.inputs.count)
    case .missing(let index): missing(signature.inputs[index])
    case .wrongKind(let index), .outOfRange(let index):
      argument(
        index, "is \(Self.name(arguments, index, count)), expected \(signature.inputs[index].type.expectation)")
    case .nul(let index): argument(index, "contains a NUL, which would end the cstr")
    case .stale(let index):
      argument(index, "is a promise that does not exist any more, expected one that the caller keeps during the call")
    case .mismatch(let index, let mismatch): argument(index, mismatch.message, path: mismatch.path)
    case .noMemory: error(.badResult, "cannot store its arguments or its result: memory has run out")
    case .badOutput(let mismatch): output(mismatch)
    case .nullResult: result("returned NULL")
    case .resultNotUTF8: result("returned bytes that are not UTF-8")
    case .wildLength: result("returned a length beyond the size of memory")
    case .left(let edge): edge.error(qualifiedName)
    case .badBool(let byte): result("returned \(byte), which is neither false, 0, nor true, 1")
    case .callback(let error): error
    case .staleResult: result("returned a promise that does not exist, or no promise")
    }
  }

  /// The error for more arguments than the function takes.
  func tooMany(_ count: Int, expected limit: Int) -> PluginError {
    let given = count == 1 ? "1 argument" : "\(count) arguments"
    return error(.badArgument, "is given \(given), expected \(limit == 0 ? "none" : "at most \(limit)"): \(signature)")
  }

  func missing(_ parameter: Parameter) -> PluginError {
    error(.badArgument, "lacks the argument '\(parameter.name)', which has no default: \(signature)")
  }

  private func argument(_ index: Int, _ message: String, path: String = "") -> PluginError {
    let inputs = signature.inputs
    let tail = signature.tail?.parameter.name ?? ""
    let name = inputs.indices.contains(index) ? inputs[index].name : "\(tail)[\(index - inputs.count)]"
    return error(.badArgument, index < 0 ? "an argument \(message)" : "argument '\(name)\(path)' \(message)")
  }

  private func output(_ mismatch: ArgumentMismatch) -> PluginError {
    // The path of a value that is nested too deep is long.
    let path = mismatch.path.count > 60 ? mismatch.path.prefix(60) + "..." : mismatch.path[...]
    return error(.badResult, "returned '\(path)' that \(mismatch.message), against its signature: \(signature)")
  }

  func result(_ message: String) -> PluginError {
    error(
      .badResult,
      "\(message), expected \(signature.result.map(String.init(describing:)) ?? "void"), as its signature says")
  }

  private static func name(_ arguments: UnsafePointer<promise_value_t>?, _ index: Int, _ count: Int) -> String {
    // An index beyond the arguments means a default, which was checked when it was parsed.
    guard let arguments, index < count else { return "its default" }
    return arguments[index].nameOfContent
  }
}

extension promise_value_t {
  /// The description of the value in errors: the value of a scalar, otherwise the kind.
  var nameOfContent: String {
    withUnsafePointer(to: self) { value in
      switch Int(kind) {
      case Int(PROMISE_KIND_BOOL), Int(PROMISE_KIND_I64), Int(PROMISE_KIND_U64), Int(PROMISE_KIND_F64):
        (try? PluginValue(value)).map(\.json) ?? "a number"
      case Int(PROMISE_KIND_VOID): "void"
      default:
        promise_value_type(value).flatMap { promise_type_name($0) }.map { "a value of type \(String(cString: $0))" }
          ?? "a value of no known kind"
      }
    }
  }
}
