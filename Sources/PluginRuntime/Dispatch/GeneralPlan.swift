@preconcurrency import CFFI
import CPromise

/// The plan of a call that passes more than words and spans: out parameters, counts, slices, optionals, callbacks,
/// tails, and failures reported by the result.
///
/// It lives as long as the process. The fields that every call reads are plain memory, and so free of reference counts.
final class GeneralPlan: Sendable {
  /// The form of a call's result, without its out parameters.
  enum Yield: Sendable {
    case nothing
    /// A promise_value_t that the function stores.
    case filled
    case word(ABIType)
    case loaded(TypePlan)
  }

  let signature: Signature
  let domain: String
  /// "plugin.function", as C text.
  nonisolated(unsafe) let subject: UnsafePointer<CChar>
  let entry: promise_function_t
  nonisolated(unsafe) let slots: UnsafePointer<Slot>
  let slotCount: Int
  /// The number of a call's arguments, without the tail.
  let inputCount: Int
  let tail: [TypePlan]
  /// The plan of the callbacks; `nil` if there are none.
  let callbacks: CallbackPlan?
  /// The plan to read the C result; `nil` without one.
  let result: TypePlan?
  let yield: Yield
  /// Whether the function stores its result through an address instead of returning it, and whether it is a
  /// promise_value_t.
  let isResultFilled: Bool
  let isResultValue: Bool
  let hasOutputs: Bool
  /// Whether parameters are fields at an address.
  let hasFields: Bool
  /// Whether the function returns a status; otherwise `rule` decides on failure.
  let fails: Bool
  let rule: FailureRule?
  let failureDetails: FailureDetails
  /// The plan of the call that decides on failure, for `! if`.
  let test: MessagePlan?
  /// The plan of the call that returns a failure's message; `nil` without one.
  let message: MessagePlan?
  /// The plan of the errors of `! gerror`.
  let error: GErrorPlan?
  /// The index in `slots` of the count of the memory that is the result; `nil` without one.
  let resultCount: Int?
  /// Whether callbacks settle the promise of a call.
  let completes: Bool
  /// Whether a promise that the function returns keeps borrowed arguments in use.
  let lends: Bool
  /// Whether the memory of `keep` arguments ends with objects, and whether a call makes some.
  let keepsWithObjects: Bool
  let makesObjects: Bool
  /// The values of omitted arguments, of kind 0 if required, in the order of the arguments.
  nonisolated(unsafe) let fallbacks: UnsafeMutablePointer<promise_value_t>
  /// The values of constant parameters, of kind 0 for others, in the order of `slots`.
  nonisolated(unsafe) let constants: UnsafeMutablePointer<promise_value_t>
  nonisolated(unsafe) let interface: UnsafeMutablePointer<ffi_cif>
  nonisolated(unsafe) let types: UnsafeMutablePointer<FFIType.Reference?>
  nonisolated(unsafe) let returnType: FFIType.Reference
  /// The number of arguments for libffi, without the tail, and their offsets in the frame.
  let count: Int
  nonisolated(unsafe) let offsets: UnsafeMutablePointer<Int>
  let frame: Frame

  /// Makes the plan of a function; `nil` if this machine cannot make such a call.
  init?(
    _ signature: Signature, _ entry: @escaping promise_function_t, domain: String, callbacks: CallbackRegistry,
    _ library: PluginLibrary?
  ) {
    failureDetails = signature.failureDetails
    do {
      self.callbacks = try CallbackPlan(signature, domain: domain, callbacks)
      tail = try signature.tail?.types.compactMap { type in try Self.plan(type) { TypePlan($0) } } ?? []
      result = try Self.plan(signature.returned) { returned in
        FFIType.agrees(with: returned) ? TypePlan(returned.valueType, in: library) : nil
      }
      test = try Self.plan(failureDetails.test) { MessagePlan($0.call, for: signature, library) }
      message = try Self.plan(failureDetails.message) { MessagePlan($0, for: signature, library) }
      error = try Self.plan(failureDetails.release) { GErrorPlan(release: $0, in: library) }
    } catch {
      return nil
    }
    var layout = FrameLayout()
    guard let slots = Slot.all(of: signature, &layout, self.callbacks, library) else { return nil }
    let resultCount = signature.result?.returnedCountName ?? signature.result?.countName
    self.resultCount = resultCount.flatMap { name in signature.parameters.firstIndex { $0.name == name } }
    self.signature = signature
    self.domain = domain
    subject = signature.subject(domain)
    self.entry = entry
    self.slots = UnsafePointer(Self.kept(slots))
    slotCount = slots.count
    inputCount = signature.inputIndices.count
    yield = Self.yield(signature.yielded, result)
    hasOutputs = !signature.outputs.isEmpty
    hasFields = signature.parameters.contains { $0.place != nil }
    fails = signature.fails
    rule = signature.fails ? nil : signature.failure
    completes = signature.completion != nil
    lends = signature.result?.isPromise ?? false
    keepsWithObjects = signature.keepsWithObjects
    makesObjects = signature.makesObjects
    fallbacks = Self.kept(signature.inputs.map(Self.fallback))
    constants = Self.kept(signature.parameters.map { $0.isConstant ? Self.fallback($0) : promise_value_t() })

    isResultValue = Signature.isGivenByAddress(signature.returned)
    returnType = signature.fails ? FFIType.status : FFIType.of(isResultValue ? nil : signature.returned)
    var arguments = FFIArguments(slots)
    arguments.halve(returning: returnType)
    // Space for two more addresses, of a result and of an error.
    frame = Frame(&layout, result, slots: slots.count, arguments: arguments.offsets.count + 2)
    isResultFilled = signature.fails || isResultValue
    if result != nil, isResultFilled { arguments.add(FFIType.pointer, frame.resultAddress) }
    if signature.fails || error != nil { arguments.add(FFIType.pointer, frame.errorAddress) }
    count = arguments.offsets.count
    offsets = Self.kept(arguments.offsets)
    types = Self.kept(arguments.types)
    interface = Self.kept([ffi_cif()])
    // A function with a tail is prepared for each call, by the types of its arguments.
    guard tail.isEmpty else { return }
    // A struct that is passed as two arguments comes before `...`, and moves the index: C promotes the arguments
    // behind.
    let variadic = signature.variadicIndex.map { $0 + count - slots.count }
    guard FFIType.prepare(interface, variadicFrom: variadic, count: count, returning: returnType, types) else {
      return nil
    }
  }

  /// Returns the value of an omitted argument, or of a constant; of kind 0 if the argument is required.
  private static func fallback(_ parameter: Parameter) -> promise_value_t {
    parameter.fallback.flatMap { try? TypePlan(parameter.type)?.abi($0) } ?? promise_value_t()
  }

  private struct Unsupported: Error {}

  /// Returns the plan of a part that a signature may have. Throws if this machine cannot make it.
  private static func plan<Part, Plan>(_ part: Part?, _ make: (Part) -> Plan?) throws(Unsupported) -> Plan? {
    guard let part else { return nil }
    guard let plan = make(part) else { throw Unsupported() }
    return plan
  }

  private static func kept<T>(_ values: [T]) -> UnsafeMutablePointer<T> {
    let memory = UnsafeMutablePointer<T>.allocate(capacity: values.count)
    for (index, value) in values.enumerated() { (memory + index).initialize(to: value) }
    return memory
  }

  private static func yield(_ type: ValueType?, _ plan: TypePlan?) -> Yield {
    guard let type, let plan else { return .nothing }
    if Signature.isGivenByAddress(type) { return .filled }
    return ABIType(type).isLoadable ? .word(ABIType(type)) : .loaded(plan)
  }
}
