@preconcurrency import CFFI
import CPromise

/// Everything about a call that can be known before it: worked out once for each function, and used by every call of
/// it.
///
/// It is plain memory that is never freed, as the function it belongs to is never unmapped; so a call touches no
/// reference count.
struct CallPlan {
  /// What an argument must be like, and where its parts of the frame are.
  struct Parameter {
    let crossing: Crossing
    /// The kind whose bits go into C as they are, if they lie in the range that begins at `minimum` and is `span` long:
    /// integers and f64. A number that is no kind for the other types.
    let plainKind: UInt64
    let minimum: Int64
    let span: UInt64
    /// What is passed when the argument is left out; of kind 0 if it must not be.
    let defaultValue: promise_value_t
  }

  var interface: ffi_cif
  let entry: promise_function_t
  let parameters: UnsafeMutablePointer<Parameter>
  let count: Int
  /// How many arguments a call must give at least.
  let required: Int
  let result: Crossing
  /// Whether the function returns a status and takes out parameters.
  let fails: Bool
  /// Whether a promise that the function returns keeps arguments in use.
  let lends: Bool

  /// The plan for a function of this signature.
  static func make(_ signature: Signature, _ entry: @escaping promise_function_t) -> UnsafeMutablePointer<CallPlan>? {
    assert(CallFrame.size(count: smallCount) == smallSize)
    guard signature.parameters.allSatisfy({ Crossing($0.type) != .other && $0.direction == .input }),
      Crossing(signature.result) != .other, signature.tail == nil, signature.failure == nil || signature.fails
    else { return nil }
    let count = signature.parameters.count
    let parameters = UnsafeMutablePointer<Parameter>.allocate(capacity: count)
    for (index, parameter) in signature.parameters.enumerated() {
      (parameters + index).initialize(to: Parameter(parameter))
    }
    let outputs = !signature.fails ? 0 : signature.result == nil ? 1 : 2
    let types = UnsafeMutablePointer<FFIType.Reference?>.allocate(capacity: count + outputs)
    for (index, parameter) in signature.parameters.enumerated() { types[index] = FFIType.of(parameter.type) }
    for index in 0..<outputs { types[count + index] = FFIType.pointer }
    let returned = signature.fails ? FFIType.status : FFIType.of(signature.result)

    let plan = UnsafeMutablePointer<CallPlan>.allocate(capacity: 1)
    plan.initialize(
      to: CallPlan(
        interface: ffi_cif(), entry: entry, parameters: parameters, count: count,
        required: (signature.parameters.lastIndex { $0.defaultValue == nil } ?? -1) + 1,
        result: Crossing(signature.result), fails: signature.fails,
        lends: signature.parameters.contains { Crossing($0.type).isBorrowed }))
    let status = ffi_prep_cif(&plan.pointee.interface, FFI_DEFAULT_ABI, UInt32(count + outputs), returned, types)
    return status == FFI_OK ? plan : nil
  }
}

extension CallPlan.Parameter {
  init(_ parameter: Parameter) {
    crossing = Crossing(parameter.type)
    if let range = parameter.type.signedRange {
      (plainKind, minimum) = (UInt64(PROMISE_KIND_I64), range.lowerBound)
      span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
    } else if let range = parameter.type.unsignedRange {
      (plainKind, minimum, span) = (UInt64(PROMISE_KIND_U64), 0, range.upperBound)
    } else if parameter.type == .f64 {
      (plainKind, minimum, span) = (UInt64(PROMISE_KIND_F64), 0, .max)
    } else {
      (plainKind, minimum, span) = (.max, 0, 0)
    }
    defaultValue = parameter.defaultValue.flatMap { promise_value_t($0) } ?? promise_value_t()
  }
}
