@preconcurrency import CFFI

/// The types of a call as libffi describes them. All live as long as the process.
enum FFIType {
  typealias Reference = UnsafeMutablePointer<ffi_type>

  static func of(_ type: ValueType?) -> Reference {
    switch type {
    case nil: address(&ffi_type_void)
    // A bool is passed and returned as the byte that it is.
    case .bool, .u8: address(&ffi_type_uint8)
    case .i8: address(&ffi_type_sint8)
    case .i16: address(&ffi_type_sint16)
    case .i32: status
    case .i64, .isize: address(&ffi_type_sint64)
    case .u16: address(&ffi_type_uint16)
    case .u32: address(&ffi_type_uint32)
    case .u64: address(&ffi_type_uint64)
    case .usize: MemoryLayout<Int>.size == 8 ? address(&ffi_type_uint64) : address(&ffi_type_uint32)
    case .f32: address(&ffi_type_float)
    case .f64: address(&ffi_type_double)
    case _ where type?.isSpan ?? false: span.reference
    default: pointer
    }
  }

  /// Any pointer.
  static var pointer: Reference { address(&ffi_type_pointer) }
  /// A promise_status_t.
  static var status: Reference { address(&ffi_type_sint32) }

  /// promise_str_t and promise_bytes_t: a pointer and a length, by value.
  private static let span = Span()

  private struct Span: Sendable {
    nonisolated(unsafe) let reference: Reference

    init() {
      let elements = UnsafeMutablePointer<Reference?>.allocate(capacity: 3)
      elements[0] = FFIType.pointer
      elements[1] = FFIType.of(.usize)
      elements[2] = nil
      reference = .allocate(capacity: 1)
      reference.initialize(to: ffi_type(size: 0, alignment: 0, type: UInt16(FFI_TYPE_STRUCT), elements: elements))
      // Fills in the size. Preparing a call would do so too, but on several threads at once.
      ffi_get_struct_offsets(FFI_DEFAULT_ABI, reference, nil)
    }
  }

  /// The address of a constant of libffi's: a variable to C, which nobody writes to.
  private static func address(_ type: Reference) -> Reference { type }
}
