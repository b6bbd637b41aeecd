@preconcurrency import CFFI
import CPromise

/// How the arguments of a callback get out of C, and its result into C.
final class CallbackCrossing: Sendable {
  /// One argument as C passes it.
  struct Argument: Sendable {
    let parameter: CallbackType.Parameter
    /// How it is read; for elements whose count another argument has, how a span of them is.
    let plan: TypePlan
    /// Where the argument with the count is, for a counted type.
    let count: Int?
    /// Whether C passes the address of it.
    let isByAddress: Bool
    /// Whether the body is given it: neither a context, nor a count.
    let isGiven: Bool
  }

  let arguments: [Argument]
  let result: TypePlan?
  /// How all is passed if it is scalars; `nil` if there is more.
  let scalars: ScalarCrossing?

  /// `nil` if there is a type that this machine cannot pass.
  init?(_ type: CallbackType) {
    let counts = Set(type.parameters.compactMap(\.type.countName))
    var arguments: [Argument] = []
    for parameter in type.parameters {
      guard let plan = TypePlan(parameter.type.valueType), FFIType.agrees(with: parameter.type) else { return nil }
      var (isGiven, isByAddress) = (!counts.contains(parameter.name ?? ""), false)
      if case .context = parameter.type { isGiven = false }
      if case .array = parameter.type { isByAddress = true }
      let count = parameter.type.countName.flatMap { name in type.parameters.firstIndex { $0.name == name } }
      arguments.append(
        Argument(parameter: parameter, plan: plan, count: count, isByAddress: isByAddress, isGiven: isGiven))
    }
    self.arguments = arguments
    result = type.result.flatMap { TypePlan($0) }
    scalars = ScalarCrossing(arguments, result)
    if let type = type.result, result == nil || !FFIType.agrees(with: type) { return nil }
  }

  /// The C function as libffi has it, which lives as long as the process; `nil` if it cannot be.
  func makeInterface() -> UnsafeMutablePointer<ffi_cif>? {
    let types = UnsafeMutablePointer<FFIType.Reference?>.allocate(capacity: arguments.count)
    for (index, argument) in arguments.enumerated() {
      let type = argument.isByAddress ? FFIType.pointer : FFIType.of(argument.parameter.type)
      (types + index).initialize(to: type)
    }
    let interface = UnsafeMutablePointer<ffi_cif>.allocate(capacity: 1)
    interface.initialize(to: ffi_cif())
    let status = ffi_prep_cif(interface, FFI_DEFAULT_ABI, UInt32(arguments.count), FFIType.of(result?.type), types)
    return status == FFI_OK ? interface : nil
  }

  /// What the body is given.
  func load(_ addresses: UnsafePointer<UnsafeMutableRawPointer?>?) throws(ArgumentMismatch) -> [PluginValue] {
    var values: [PluginValue] = []
    for (index, argument) in arguments.enumerated() where argument.isGiven {
      values.append(try load(index, argument, addresses))
    }
    return values
  }

  /// One argument; the texts and elements that it borrows are copied.
  func load(
    _ index: Int, _ argument: Argument, _ addresses: UnsafePointer<UnsafeMutableRawPointer?>?
  ) throws(ArgumentMismatch) -> PluginValue {
    // There is an address for each argument, from libffi as from our own thunks.
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
      return try Self.counted(argument.plan, memory, arguments[count].parameter.type, other)
    }
  }

  /// What is borrowed as a promise_value_t, if Swift has such a value; NULL and VOID are void.
  private static func value(_ memory: UnsafeRawPointer) throws(ArgumentMismatch) -> PluginValue {
    guard let value = memory.load(as: UnsafePointer<promise_value_t>?.self) else { return .void }
    if let known = ValueBox.content(value) ?? PluginValue(value) { return known }
    guard value.pointee.kind == promise_kind_t(PROMISE_KIND_ERROR), let text = promise_value_data(value, nil) else {
      throw ArgumentMismatch(message: "is \(value.pointee.nameOfContent), which is no value of Swift's")
    }
    return .string(String(cString: text))
  }

  /// An address here, its count there: the two words of a span.
  private static func counted(
    _ plan: TypePlan, _ memory: UnsafeRawPointer, _ countType: ValueType, _ count: UnsafeRawPointer
  ) throws(ArgumentMismatch) -> PluginValue {
    guard let number = IntegerMemory.load(countType, count), number >= 0 else {
      throw ArgumentMismatch(message: "has a count that no memory has")
    }
    let arena = CallArena()
    let span = try arena.allocate(16)
    span.storeBytes(of: memory.load(as: UInt.self), as: UInt.self)
    span.storeBytes(of: number, toByteOffset: 8, as: Int.self)
    defer { withExtendedLifetime(arena) {} }
    return try plan.load(span)
  }

  /// Gives C what the body returned. The memory is zeroed, and has room for a word.
  func store(_ value: PluginValue, at memory: UnsafeMutableRawPointer) throws(ArgumentMismatch) {
    guard let result else {
      guard value == .void else { throw ArgumentMismatch(message: "\(value.name), expected nothing") }
      return
    }
    let arena = CallArena()
    try result.store(value, at: memory, arena)
    // What it owns belongs to C now.
    arena.handOver()
    // libffi takes an integer as a whole word, with its sign.
    if result.type.signedRange != nil, let number = IntegerMemory.load(result.type, memory) {
      memory.storeBytes(of: number, as: Int.self)
    }
  }
}
