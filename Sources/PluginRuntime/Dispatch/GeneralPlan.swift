@preconcurrency import CFFI
import CPromise

/// The plan of a call that does more than pass words and spans: out parameters, counts, slices, optionals, callbacks,
/// tails, and failures that the result tells.
final class GeneralPlan: Sendable {
  /// One parameter of the C function.
  struct Slot: Sendable {
    let parameter: Parameter
    /// Which argument of a call it takes; `nil` if none.
    let argument: Int?
    /// How its value is stored; for a count of elements, how the elements are.
    let plan: TypePlan
    /// Where in `slots` its count is, for a counted type.
    let count: Int?
    /// Where in the frame lies what is passed, and what that is the address of.
    let offset: Int
    let cell: Int
  }

  let signature: Signature
  let domain: String
  let entry: promise_function_t
  let slots: [Slot]
  let tail: [TypePlan]
  /// `nil` if there are no callbacks.
  let callbacks: CallbackPlan?
  /// How the result is read; `nil` if there is none.
  let result: TypePlan?
  /// What calls leave out: of kind 0 if they must not. In the order of the arguments.
  nonisolated(unsafe) let fallbacks: UnsafeMutablePointer<promise_value_t>
  nonisolated(unsafe) let interface: UnsafeMutablePointer<ffi_cif>
  nonisolated(unsafe) let types: UnsafeMutablePointer<FFIType.Reference?>
  nonisolated(unsafe) let returnType: FFIType.Reference
  /// How many arguments libffi sees, without the tail.
  let count: Int
  /// The slot that is two of them, if one is.
  let halved: Int?
  /// Where in the frame the result and the error of a `!` lie, and what the function returns.
  let resultCell: Int
  let errorCell: Int
  let returned: Int
  let frameSize: Int

  /// `nil` if this machine cannot make such a call.
  init?(
    _ signature: Signature, _ entry: @escaping promise_function_t, domain: String, callbacks: CallbackRegistry,
    symbol: (String) -> UnsafeMutableRawPointer?
  ) {
    do {
      self.callbacks = try CallbackPlan.make(signature, domain: domain, callbacks)
    } catch {
      return nil
    }
    var frame = FrameLayout()
    guard let slots = Self.slots(of: signature, &frame, symbol) else { return nil }
    var tail: [TypePlan] = []
    for type in signature.tail?.types ?? [] {
      guard let plan = TypePlan(type) else { return nil }
      tail.append(plan)
    }
    let isByAddress = Signature.isGivenByAddress(signature.returned)
    var types = slots.map { Self.passedType($0.parameter) }
    if let returned = signature.returned {
      guard let plan = TypePlan(returned, symbol: symbol), FFIType.agrees(with: returned) else { return nil }
      result = plan
      resultCell = frame.add(max(plan.layout.size, MemoryLayout<promise_value_t>.size))
      if signature.fails || isByAddress { types.append(FFIType.pointer) }
    } else {
      result = nil
      resultCell = frame.add(0)
    }
    errorCell = frame.add(MemoryLayout<promise_value_t>.size)
    if signature.fails { types.append(FFIType.pointer) }
    returned = frame.add(max(result?.layout.size ?? 0, MemoryLayout<ffi_arg>.size))
    frameSize = frame.size
    self.signature = signature
    self.domain = domain
    self.entry = entry
    self.slots = slots
    self.tail = tail
    returnType = signature.fails ? FFIType.status : FFIType.of(isByAddress ? nil : signature.returned)
    halved = FFIType.halved(types, returning: returnType)
    if let halved { types.replaceSubrange(halved...halved, with: FFIType.halves) }
    count = types.count
    self.types = .allocate(capacity: types.count)
    for (index, type) in types.enumerated() { (self.types + index).initialize(to: type) }
    interface = .allocate(capacity: 1)
    interface.initialize(to: ffi_cif())
    fallbacks = .allocate(capacity: signature.inputIndices.count)
    for (index, parameter) in signature.inputs.enumerated() {
      let value = parameter.fallback.flatMap { try? TypePlan(parameter.type)?.abi($0) } ?? promise_value_t()
      (fallbacks + index).initialize(to: value)
    }
    // One with a tail is prepared anew for each call, by the types of its arguments.
    guard tail.isEmpty else { return }
    guard ffi_prep_cif(interface, FFI_DEFAULT_ABI, UInt32(count), returnType, self.types) == FFI_OK else { return nil }
  }

  private static func slots(
    of signature: Signature, _ frame: inout FrameLayout, _ symbol: (String) -> UnsafeMutableRawPointer?
  ) -> [Slot]? {
    let parameters = signature.parameters
    var slots: [Slot] = []
    for (index, parameter) in parameters.enumerated() {
      let type = parameter.type.valueType
      guard let plan = TypePlan(type, symbol: symbol), FFIType.agrees(with: parameter.type) else { return nil }
      let isCounted = parameter.type.countName != nil
      slots.append(
        Slot(
          parameter: parameter, argument: signature.inputIndices.firstIndex(of: index), plan: plan,
          count: parameter.type.countName.flatMap { name in parameters.firstIndex { $0.name == name } },
          offset: frame.add(TypeLayout(of: parameter.type)?.size ?? 0),
          cell: parameter.isByAddress && !isCounted ? frame.add(plan.layout.size) : 0))
    }
    return slots
  }

  private static func passedType(_ parameter: Parameter) -> FFIType.Reference {
    parameter.isByAddress || parameter.type.countName != nil ? FFIType.pointer : FFIType.of(parameter.type)
  }
}

/// The parts of a frame, one after another.
struct FrameLayout {
  private(set) var size = 0

  /// Sets so many bytes aside, aligned for anything; at least as many as libffi may write.
  mutating func add(_ bytes: Int) -> Int {
    defer { size += (max(bytes, 8) + 15) & ~15 }
    return size
  }
}

extension Parameter {
  /// Whether C is given the address of the value: of what it fills, and of an array.
  var isByAddress: Bool {
    if case .array = type { return true }
    return direction != .input
  }
}

extension ValueType {
  /// The type of the value that a call gives: of a counted one what is counted.
  var valueType: ValueType {
    switch self {
    case .counted(let type, _): type
    case .optional(.counted(let type, _)): .optional(type)
    default: self
    }
  }
}
