@preconcurrency import CFFI
import CPromise

/// The conversion of a callback's arguments from C, and of its result to C.
final class CallbackConversion: Sendable {
  /// An argument as C passes it.
  struct Argument: Sendable {
    let parameter: CallbackType.Parameter
    /// The plan to load it; for a counted type, the plan to load a span of the elements.
    let plan: TypePlan
    /// The index of the argument with the count, for a counted type.
    let count: Int?
    /// Whether C passes the address of the value, not the value.
    let isByAddress: Bool
    /// Whether the body receives it: true except for contexts, counts and `out` arguments.
    let isPassed: Bool
    /// Whether the body provides its value.
    var isOutput: Bool { parameter.direction != .input }
  }

  let arguments: [Argument]
  let result: TypePlan?
  /// Whether the body returns an object with the values of `out` and `inout` arguments.
  let hasOutputs: Bool
  /// The fast path, if all arguments and the result are scalars or addresses.
  let scalars: ScalarConversion?

  /// Makes the conversion; `nil` if this machine cannot pass a type.
  init?(_ type: CallbackType) {
    let passed = Set(type.closureIndices)
    var arguments: [Argument] = []
    for (index, parameter) in type.parameters.enumerated() {
      guard let plan = TypePlan(parameter.type.valueType), FFIType.agrees(with: parameter.type) else { return nil }
      let isByAddress = parameter.direction != .input || parameter.type.isArray
      let count = parameter.type.countName.flatMap { name in type.parameters.firstIndex { $0.name == name } }
      arguments.append(
        Argument(
          parameter: parameter, plan: plan, count: count, isByAddress: isByAddress,
          isPassed: passed.contains(index)))
    }
    self.arguments = arguments
    hasOutputs = arguments.contains(where: \.isOutput)
    result = type.result.flatMap { TypePlan($0) }
    scalars = ScalarConversion(arguments, result)
    if let type = type.result, result == nil || !FFIType.agrees(with: type) { return nil }
  }

  /// Prepares the C function for libffi, for the lifetime of the process; `nil` if libffi rejects it.
  func makeInterface() -> UnsafeMutablePointer<ffi_cif>? {
    let types = arguments.map { $0.isByAddress ? FFIType.pointer : FFIType.of($0.parameter.type) }
    return FFIType.interface(types, returning: FFIType.of(result?.type))
  }

  /// Loads the arguments that the body receives.
  func load(_ addresses: UnsafePointer<UnsafeMutableRawPointer?>?) throws(ArgumentMismatch) -> [PluginValue] {
    var values: [PluginValue] = []
    for (index, argument) in arguments.enumerated() where argument.isPassed {
      values.append(try load(index, argument, addresses))
    }
    return values
  }

  /// Loads one argument. Borrowed texts and elements are copied.
  func load(
    _ index: Int, _ argument: Argument, _ addresses: UnsafePointer<UnsafeMutableRawPointer?>?
  ) throws(ArgumentMismatch) -> PluginValue {
    // libffi and our thunks provide an address for each argument.
    guard let addresses, let memory = addresses[index] else { throw CallArena.noMemory }
    let name = argument.parameter.name.map { "'\($0)'" } ?? "argument \(index + 1)"
    return try converting(name) { () throws(ArgumentMismatch) in
      switch argument.parameter.type.unwrapped {
      case .value, .error: return try Self.value(memory)
      default: break
      }
      if argument.isByAddress {
        guard let data = memory.load(as: UnsafeRawPointer?.self) else {
          throw ArgumentMismatch(message: "is NULL, expected \(argument.plan.type.expectation)")
        }
        return try argument.plan.load(data)
      }
      guard let count = argument.count, let other = addresses[count] else { return try argument.plan.load(memory) }
      return try argument.plan.loadSpan(memory, arguments[count].parameter.type, other)
    }
  }

  /// Converts a borrowed promise_value_t. NULL and VOID are void.
  ///
  /// - Throws: `ArgumentMismatch` if the value has no equivalent in Swift.
  private static func value(_ memory: UnsafeRawPointer) throws(ArgumentMismatch) -> PluginValue {
    guard let value = memory.load(as: UnsafePointer<promise_value_t>?.self) else { return .void }
    guard value.pointee.kind == promise_kind_t(PROMISE_KIND_ERROR), let text = promise_value_data(value, nil) else {
      return try PluginValue(value)
    }
    return .string(String(cString: text))
  }

  /// Stores the body's result in `memory`, which must be zeroed and at least one word long. Stores nothing if a value
  /// does not suit its type.
  func store(
    _ value: PluginValue, at memory: UnsafeMutableRawPointer, _ addresses: UnsafePointer<UnsafeMutableRawPointer?>?
  ) throws(ArgumentMismatch) {
    let arena = CallArena()
    let (value, outputs) = hasOutputs ? try self.outputs(value, addresses, arena) : (value, [])
    let copy = try arena.allocate(result?.layout.size ?? 0)
    if let result {
      try result.store(value, at: copy, arena)
    } else if value != .void {
      throw ArgumentMismatch(message: "is \(value.name), expected nothing")
    }
    for output in outputs { output.target.copyMemory(from: output.value, byteCount: output.size) }
    if let result { memory.copyMemory(from: copy, byteCount: result.layout.size) }
    // Owned memory belongs to C from here.
    arena.transferOwnership()
    // libffi reads an integer result as a sign-extended word.
    if let result, result.type.signedRange != nil, let number = result.type.scalar?.integer(at: memory) {
      memory.storeBytes(of: number, as: Int.self)
    }
  }
}
