@preconcurrency import CFFI
import CPromise

/// The plan of a call that does more than pass words and spans: out parameters, counts, slices, optionals, callbacks,
/// tails, and failures that the result tells.
///
/// It lives as long as the process. What every call looks at is plain memory, so that it costs no reference counts.
final class GeneralPlan: Sendable {
  /// What a call gives besides its out parameters.
  enum Yield: Sendable {
    case nothing
    /// What the function fills in as a promise_value_t.
    case filled
    case word(Crossing)
    case loaded(TypePlan)
  }

  let signature: Signature
  let domain: String
  let entry: promise_function_t
  nonisolated(unsafe) let slots: UnsafePointer<Slot>
  let slotCount: Int
  /// How many arguments a call takes, without the tail.
  let inputCount: Int
  let tail: [TypePlan]
  /// `nil` if there are no callbacks.
  let callbacks: CallbackPlan?
  /// How what the function returns is read; `nil` if it returns nothing.
  let result: TypePlan?
  let yield: Yield
  /// Whether the function is told where to fill its result in, rather than to return it, and whether as a promise_value_t.
  let isResultFilled: Bool
  let isResultValue: Bool
  let hasOutputs: Bool
  /// Whether the function returns a status, or what `rule` takes for a failure.
  let fails: Bool
  let rule: FailureRule?
  /// Whether callbacks settle the promise of a call.
  let completes: Bool
  /// Whether a promise that the function returns keeps in use what it was lent.
  let lends: Bool
  /// What calls leave out: of kind 0 if they must not. In the order of the arguments.
  nonisolated(unsafe) let fallbacks: UnsafeMutablePointer<promise_value_t>
  nonisolated(unsafe) let interface: UnsafeMutablePointer<ffi_cif>
  nonisolated(unsafe) let types: UnsafeMutablePointer<FFIType.Reference?>
  nonisolated(unsafe) let returnType: FFIType.Reference
  /// How many arguments libffi sees, without the tail, and where in the frame each of them lies.
  let count: Int
  nonisolated(unsafe) let offsets: UnsafeMutablePointer<Int>
  let frame: Frame

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
    var layout = FrameLayout()
    guard let slots = Slot.all(of: signature, &layout, self.callbacks, symbol) else { return nil }
    var tail: [TypePlan] = []
    for type in signature.tail?.types ?? [] {
      guard let plan = TypePlan(type) else { return nil }
      tail.append(plan)
    }
    if let returned = signature.returned {
      guard let plan = TypePlan(returned, symbol: symbol), FFIType.agrees(with: returned) else { return nil }
      result = plan
    } else {
      result = nil
    }
    self.signature = signature
    self.domain = domain
    self.entry = entry
    self.slots = UnsafePointer(Self.kept(slots))
    slotCount = slots.count
    inputCount = signature.inputIndices.count
    self.tail = tail
    yield = Self.yield(signature.yielded, result)
    hasOutputs = !signature.outputs.isEmpty
    fails = signature.fails
    rule = signature.fails ? nil : signature.failure
    completes = signature.completion != nil
    lends = signature.result?.isPromise ?? false
    fallbacks = Self.kept(
      signature.inputs.map { parameter in
        parameter.fallback.flatMap { try? TypePlan(parameter.type)?.abi($0) } ?? promise_value_t()
      })

    isResultValue = Signature.isGivenByAddress(signature.returned)
    returnType = signature.fails ? FFIType.status : FFIType.of(isResultValue ? nil : signature.returned)
    var places = Places(slots)
    places.halve(returning: returnType)
    // Besides those, at most a result and an error.
    frame = Frame(&layout, result, slots: slots.count, arguments: places.offsets.count + 2)
    isResultFilled = signature.fails || isResultValue
    if result != nil, isResultFilled { places.add(FFIType.pointer, frame.resultAddress) }
    if signature.fails { places.add(FFIType.pointer, frame.errorAddress) }
    count = places.offsets.count
    offsets = Self.kept(places.offsets)
    types = Self.kept(places.types)
    interface = Self.kept([ffi_cif()])
    // One with a tail is prepared anew for each call, by the types of its arguments.
    guard tail.isEmpty else { return }
    guard ffi_prep_cif(interface, FFI_DEFAULT_ABI, UInt32(count), returnType, types) == FFI_OK else { return nil }
  }

  private static func kept<T>(_ values: [T]) -> UnsafeMutablePointer<T> {
    let memory = UnsafeMutablePointer<T>.allocate(capacity: values.count)
    for (index, value) in values.enumerated() { (memory + index).initialize(to: value) }
    return memory
  }

  private static func yield(_ type: ValueType?, _ plan: TypePlan?) -> Yield {
    guard let type, let plan else { return .nothing }
    if Signature.isGivenByAddress(type) { return .filled }
    return Crossing(type).isLoadable ? .word(Crossing(type)) : .loaded(plan)
  }
}
