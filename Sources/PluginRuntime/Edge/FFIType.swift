@preconcurrency import CFFI

/// libffi's descriptions of types. They live as long as the process.
enum FFIType {
  typealias Reference = UnsafeMutablePointer<ffi_type>

  /// Returns the description of a passed or returned type; void for `nil`. An array is described as its elements, as in
  /// a struct.
  static func of(_ type: ValueType?) -> Reference {
    switch type?.form {
    case nil: address(&ffi_type_void)
    case .scalar(let scalar): of(scalar)
    case .structure(let type): structure(type.fields.map { of($0.type) })
    case .array(let element, let count): structure([Reference](repeating: of(element), count: count))
    case .text(let size): structure([Reference](repeating: of(.i8), count: size))
    case .span: span
    // A struct with a union is passed by address.
    case .address, .union: pointer
    }
  }

  private static func of(_ scalar: ScalarType) -> Reference {
    switch (scalar.form, scalar.size) {
    // A bool is passed and returned as a byte.
    case (.bool, _), (.unsigned, 1): address(&ffi_type_uint8)
    case (.unsigned, 2): address(&ffi_type_uint16)
    case (.unsigned, 4): address(&ffi_type_uint32)
    case (.unsigned, _): address(&ffi_type_uint64)
    case (.signed, 1): address(&ffi_type_sint8)
    case (.signed, 2): address(&ffi_type_sint16)
    case (.signed, 4): address(&ffi_type_sint32)
    case (.signed, _): address(&ffi_type_sint64)
    case (.float, 4): address(&ffi_type_float)
    case (.float, 8): address(&ffi_type_double)
    case (.float, _): address(&ffi_type_longdouble)
    }
  }

  /// Prepares the call of a function, whose arguments from `variadic` on are those for C's `...`. Returns false if
  /// libffi cannot call it.
  static func prepare(
    _ interface: UnsafeMutablePointer<ffi_cif>, variadicFrom variadic: Int?, count: Int, returning result: Reference?,
    _ types: UnsafeMutablePointer<Reference?>?
  ) -> Bool {
    let result = result.map(returned)
    let status =
      if let variadic {
        ffi_prep_cif_var(interface, FFI_DEFAULT_ABI, UInt32(variadic), UInt32(count), result, types)
      } else {
        ffi_prep_cif(interface, FFI_DEFAULT_ABI, UInt32(count), result, types)
      }
    return status == FFI_OK
  }

  /// Returns the description of a result. On x86-64 a struct of one long double alone is returned in the register of a
  /// long double; libffi (3.4) reads the registers of integers instead.
  private static func returned(_ type: Reference) -> Reference {
    #if arch(x86_64)
    var part = type
    while Int32(part.pointee.type) == FFI_TYPE_STRUCT, let field = part.pointee.elements[0],
      part.pointee.elements[1] == nil
    {
      part = field
    }
    if Int32(part.pointee.type) == FFI_TYPE_LONGDOUBLE { return part }
    #endif
    return type
  }

  /// Prepares the call of a function for the lifetime of the process; `nil` if libffi cannot call it.
  static func interface(
    _ types: [Reference], returning result: Reference, variadicFrom variadic: Int? = nil
  ) -> UnsafeMutablePointer<ffi_cif>? {
    let list = UnsafeMutablePointer<Reference?>.allocate(capacity: max(types.count, 1))
    for (index, type) in types.enumerated() { (list + index).initialize(to: type) }
    let interface = UnsafeMutablePointer<ffi_cif>.allocate(capacity: 1)
    interface.initialize(to: ffi_cif())
    return prepare(interface, variadicFrom: variadic, count: types.count, returning: result, list) ? interface : nil
  }

  /// A pointer of any type.
  static var pointer: Reference { address(&ffi_type_pointer) }
  /// A promise_status_t.
  static var status: Reference { address(&ffi_type_sint32) }

  /// promise_str_t, promise_bytes_t and slices: a pointer and a length, by value.
  private nonisolated(unsafe) static let span = structure([pointer, of(.usize)])

  /// Makes the description of a struct passed by value.
  private static func structure(_ types: [Reference]) -> Reference {
    let elements = UnsafeMutablePointer<Reference?>.allocate(capacity: types.count + 1)
    for (index, type) in types.enumerated() { elements[index] = type }
    elements[types.count] = nil
    let reference = Reference.allocate(capacity: 1)
    reference.initialize(to: ffi_type(size: 0, alignment: 0, type: UInt16(FFI_TYPE_STRUCT), elements: elements))
    // Sets the size. Preparing a call would set it too, but concurrently on several threads.
    ffi_get_struct_offsets(FFI_DEFAULT_ABI, reference, nil)
    return reference
  }

  /// Whether libffi's layout of the type is equal to ours; otherwise it would access other bytes.
  static func agrees(with type: ValueType) -> Bool {
    guard case .structure(let structure) = type.unwrapped, !type.unwrapped.hasUnion,
      let layout = StructLayout(structure)
    else { return true }
    let reference = of(.structure(structure))
    var offsets = [Int](repeating: 0, count: structure.fields.count)
    guard ffi_get_struct_offsets(FFI_DEFAULT_ABI, reference, &offsets) == FFI_OK else { return false }
    return offsets == layout.offsets && reference.pointee.size == layout.whole.size
      && structure.fields.allSatisfy { agrees(with: $0.type) }
  }

  /// Returns the address of a constant of libffi, which C declares as a variable.
  static func address(_ type: Reference) -> Reference { type }
}
