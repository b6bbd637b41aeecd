@preconcurrency import CFFI
import CPluginEdge

/// The parts of a C type that matter for calls: its kind and its size in bytes.
package struct CTypeShape: Sendable, Equatable, CustomStringConvertible {
  package enum Kind: Sendable { case void, integer, float, pointer, structure }

  package let kind: Kind
  package let size: Int

  package init(_ kind: Kind, _ size: Int) { (self.kind, self.size) = (kind, size) }

  package var description: String {
    switch kind {
    case .void: "nothing"
    case .integer: "an integer of \(size) \(size == 1 ? "byte" : "bytes")"
    case .float: "a floating-point number of \(size) bytes"
    case .pointer: "an address"
    case .structure: "a struct of \(size) bytes"
    }
  }
}

/// The parts of a C function's type that matter for calls.
package struct CFunctionShape: Sendable {
  /// The shapes of the parameters; `nil` for a type that has none.
  package var parameters: [CTypeShape?] = []
  package var result: CTypeShape?
  package var isVariadic = false

  package init(parameters: [CTypeShape?] = [], result: CTypeShape?, isVariadic: Bool = false) {
    (self.parameters, self.result, self.isVariadic) = (parameters, result, isVariadic)
  }
}

extension PluginFunction {
  /// The shape of the C function that the signature describes; `nil` for a signature with a tail, or with a struct that
  /// may be passed as two arguments.
  package var shape: CFunctionShape? {
    let general = function.plan.pointee.general?.takeUnretainedValue()
    let isSplit = signature.parameters.contains { parameter in
      if case .structure = parameter.type.unwrapped { FFIType.of(parameter.type).pointee.size == 16 } else { false }
    }
    guard signature.tail == nil, general == nil || !isSplit else { return nil }
    let interface = general?.interface.pointee ?? function.plan.pointee.interface
    let types = UnsafeBufferPointer(start: interface.arg_types, count: Int(interface.nargs))
    return CFunctionShape(parameters: types.map { $0.flatMap(Self.shape) }, result: interface.rtype.flatMap(Self.shape))
  }

  /// The function's address in its library's file.
  package var fileAddress: UInt64? {
    let entry = unsafeBitCast(function.plan.pointee.entry, to: UnsafeRawPointer.self)
    let offset = plugin_library_offset(entry)
    return offset == .max ? nil : offset
  }

  private static func shape(_ type: FFIType.Reference) -> CTypeShape? {
    let size = Int(type.pointee.size)
    return switch Int32(type.pointee.type) {
    case FFI_TYPE_VOID: CTypeShape(.void, 0)
    case FFI_TYPE_FLOAT, FFI_TYPE_DOUBLE, FFI_TYPE_LONGDOUBLE: CTypeShape(.float, size)
    case FFI_TYPE_POINTER: CTypeShape(.pointer, size)
    case FFI_TYPE_STRUCT: CTypeShape(.structure, size)
    default: CTypeShape(.integer, size)
    }
  }
}
