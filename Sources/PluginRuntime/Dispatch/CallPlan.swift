@preconcurrency import CFFI
import CPromise
import Glibc

/// The plan of a function's calls: everything that can be computed before a call, once for each function.
///
/// It is plain memory that is never freed, because the function is never unmapped. So a call touches no reference
/// counts.
struct CallPlan {
  /// The conditions on an argument, and its place in the frame.
  struct Parameter {
    let abiType: ABIType
    /// The offset in the frame.
    let offset: Int
    /// The kind whose bits are stored unchanged, if they are in the range of length `span` that begins at `minimum`:
    /// integers, f64 and addresses. For other types, a number that stands for no kind.
    let plainKind: UInt64
    let minimum: Int64
    let span: UInt64
    /// The value of an omitted argument; of kind 0 if the argument is required.
    let defaultValue: promise_value_t
    /// The plan to store a struct; never released.
    let plan: Unmanaged<TypePlan>?
  }

  var interface: ffi_cif
  /// "plugin.function", as C text.
  let subject: UnsafePointer<CChar>
  let entry: promise_function_t
  let parameters: UnsafeMutablePointer<Parameter>
  let count: Int
  /// The minimum number of arguments.
  let required: Int
  let frame: CallFrame.Layout
  let result: ABIType
  /// The size of a struct result, in bytes.
  let resultSize: Int
  /// Whether the function returns a status and takes out parameters.
  let fails: Bool
  /// Whether a promise that the function returns keeps arguments in use.
  let lends: Bool
  /// The general plan that makes the calls, if this one cannot; never released.
  let general: Unmanaged<GeneralPlan>?

  /// Makes the plan for a function; `nil` if this machine cannot call it.
  ///
  /// - Parameters:
  ///   - domain: the domain of errors made from returned codes.
  ///   - callbacks: holds the callbacks passed to the function.
  ///   - library: has the functions that release results.
  static func make(
    _ signature: Signature, _ entry: @escaping promise_function_t, domain: String, callbacks: CallbackRegistry,
    _ library: PluginLibrary?
  ) -> UnsafeMutablePointer<CallPlan>? {
    let returned = signature.fails ? FFIType.status : FFIType.of(signature.result)
    var passed = isSimple(signature) ? signature.parameters.map { FFIType.of($0.type) } : []
    guard isSimple(signature), FFIType.halved(passed, returning: returned) == nil else {
      return GeneralPlan(signature, entry, domain: domain, callbacks: callbacks, library).map {
        of($0, signature, entry)
      }
    }
    let count = signature.parameters.count
    let parameters = UnsafeMutablePointer<Parameter>.allocate(capacity: count)
    var frame = FrameLayout()
    for (index, parameter) in signature.parameters.enumerated() {
      guard FFIType.agrees(with: parameter.type), let plan = TypePlan(parameter.type) else { return nil }
      (parameters + index).initialize(
        to: Parameter(parameter, ABIType(parameter.type), at: frame.add(max(plan.layout.size, 16)), plan))
    }
    let outputs = !signature.fails ? 0 : signature.result == nil ? 1 : 2
    passed += [FFIType.Reference](repeating: FFIType.pointer, count: outputs)
    let types = UnsafeMutablePointer<FFIType.Reference?>.allocate(capacity: passed.count)
    for (index, type) in passed.enumerated() { (types + index).initialize(to: type) }
    let resultSize = signature.result.flatMap { TypeLayout(of: $0)?.size } ?? 0
    guard signature.result.map(FFIType.agrees) ?? true else { return nil }

    let plan = UnsafeMutablePointer<CallPlan>.allocate(capacity: 1)
    plan.initialize(
      to: CallPlan(
        interface: ffi_cif(), subject: signature.subject(domain), entry: entry, parameters: parameters, count: count,
        required: signature.required,
        frame: CallFrame.Layout(end: frame.size, count: count, resultSize: resultSize),
        result: ABIType(signature.result), resultSize: resultSize, fails: signature.fails,
        lends: signature.parameters.contains { ABIType($0.type).isBorrowed }, general: nil))
    let status = ffi_prep_cif(&plan.pointee.interface, FFI_DEFAULT_ABI, UInt32(passed.count), returned, types)
    return status == FFI_OK ? plan : nil
  }

  /// Whether the arguments and the result are only words, spans, and structs of scalars. An address can be an object
  /// that the call has to keep.
  private static func isSimple(_ signature: Signature) -> Bool {
    signature.parameters.allSatisfy {
      ![.other, .pointer, .nullablePointer].contains(ABIType($0.type)) && $0.direction == .input && !$0.isConstant
        && !$0.isKept && $0.fields == nil
    }
      && ABIType(signature.result) != .other && signature.tail == nil && signature.variadicIndex == nil
      && signature.completion == nil
      && (signature.failure == nil || signature.fails)
  }

  /// Makes a plan whose calls are made by the general plan.
  private static func of(
    _ general: GeneralPlan, _ signature: Signature, _ entry: @escaping promise_function_t
  ) -> UnsafeMutablePointer<CallPlan> {
    let plan = UnsafeMutablePointer<CallPlan>.allocate(capacity: 1)
    plan.initialize(
      to: CallPlan(
        interface: ffi_cif(), subject: general.subject, entry: entry, parameters: .allocate(capacity: 0),
        count: signature.inputIndices.count,
        required: signature.required, frame: CallFrame.Layout(end: 0, count: 0, resultSize: 0),
        result: ABIType(signature.yielded), resultSize: 0, fails: signature.fails, lends: true,
        general: .passRetained(general)))
    return plan
  }

  /// Returns the value of an omitted argument; of kind 0 if it is required.
  func fallback(_ index: Int) -> promise_value_t {
    general?._withUnsafeGuaranteedRef { $0.fallbacks[index] } ?? parameters[index].defaultValue
  }
}

extension Signature {
  /// "plugin.function", as C text that is never freed.
  func subject(_ plugin: String) -> UnsafePointer<CChar> {
    let text = strdup("\(plugin).\(name)")
    return text.map { UnsafePointer($0) } ?? UnsafePointer(strdup(""))
  }

  /// The minimum number of positional arguments.
  var required: Int { (inputs.lastIndex { $0.fallback == nil } ?? -1) + 1 }
}

extension CallPlan.Parameter {
  init(_ parameter: Parameter, _ abiType: ABIType, at offset: Int, _ plan: TypePlan) {
    self.abiType = abiType
    self.offset = offset
    self.plan = abiType == .structure ? .passRetained(plan) : nil
    if let range = parameter.type.signedRange {
      (plainKind, minimum) = (UInt64(PROMISE_KIND_I64), range.lowerBound)
      span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
    } else if let range = parameter.type.unsignedRange {
      (plainKind, minimum, span) = (UInt64(PROMISE_KIND_U64), 0, range.upperBound)
    } else if parameter.type == .f64 {
      (plainKind, minimum, span) = (UInt64(PROMISE_KIND_F64), 0, .max)
    } else if abiType == .pointer || abiType == .nullablePointer {
      // From 1 to the highest address: NULL needs a test, and so do handles of worker processes.
      (plainKind, minimum, span) = (UInt64(PROMISE_KIND_POINTER), 1, (1 << 62) - 2)
    } else {
      (plainKind, minimum, span) = (.max, 0, 0)
    }
    defaultValue = parameter.fallback.flatMap { try? plan.abi($0) } ?? promise_value_t()
  }
}
