import CPromise
import Glibc

/// Stores values in the slots of a frame, in C's representation.
enum ArgumentStore {
  /// Stores an argument. Returns a fault if it does not fit.
  @inline(__always)
  static func store(
    _ value: UnsafePointer<promise_value_t>, as parameter: UnsafePointer<CallPlan.Parameter>, index: Int,
    at slot: UnsafeMutableRawPointer
  ) -> CallFault? {
    let number = bits(value)
    let isInRange = UInt64(bitPattern: number &- parameter.pointee.minimum) <= parameter.pointee.span
    guard UInt64(value.pointee.kind) == parameter.pointee.plainKind, isInRange else {
      return parameter.pointee.abiType == .str
        ? storeText(value, index, slot) : storeOther(value, as: parameter, index: index, at: slot)
    }
    // All supported machines are little-endian: the low bytes of a word are the narrow integer that C reads.
    slot.storeBytes(of: number, as: Int64.self)
    return nil
  }

  /// Stores an argument that needs a conversion.
  private static func storeOther(
    _ value: UnsafePointer<promise_value_t>, as parameter: UnsafePointer<CallPlan.Parameter>, index: Int,
    at slot: UnsafeMutableRawPointer
  ) -> CallFault? {
    let kind = Int(value.pointee.kind)
    switch parameter.pointee.abiType {
    case .i8, .i16, .i32, .i64, .u8, .u16, .u32, .u64:
      guard kind == PROMISE_KIND_I64 || kind == PROMISE_KIND_U64 else { return .wrongKind(index) }
      // The other signedness: both must represent the same number, and it must be in range.
      let number = bits(value)
      guard UInt64(kind) != parameter.pointee.plainKind, number >= 0,
        UInt64(bitPattern: number &- parameter.pointee.minimum) <= parameter.pointee.span
      else { return .outOfRange(index) }
      slot.storeBytes(of: number, as: Int64.self)
    case .bool:
      guard kind == PROMISE_KIND_BOOL else { return .wrongKind(index) }
      slot.storeBytes(of: bits(value) & 0xFF != 0 ? 1 : 0, as: UInt8.self)
    case .f64:
      return storeInteger(value, isFloat: false, index, slot)
    case .f32:
      guard kind == PROMISE_KIND_F64 else { return storeInteger(value, isFloat: true, index, slot) }
      let number = Double(bitPattern: UInt64(bitPattern: bits(value)))
      guard !number.isFinite || Float(number).isFinite else { return .outOfRange(index) }
      slot.storeBytes(of: Float(number), as: Float.self)
    case .str: return storeText(value, index, slot)
    case .bytes, .cstr, .ownStr, .ownBytes, .promise:
      return storeReference(value, as: parameter.pointee.abiType, index, slot)
    case .nullablePointer where kind == PROMISE_KIND_VOID: slot.storeBytes(of: 0, as: UInt.self)
    case .pointer, .nullablePointer: return .wrongKind(index)
    case .structure: return storeStructure(value, as: parameter, index, slot)
    case .void, .other: return .wrongKind(index)
    }
    return nil
  }

  @inline(__always)
  private static func bits(_ value: UnsafePointer<promise_value_t>) -> Int64 {
    UnsafeRawPointer(value).load(fromByteOffset: 8, as: Int64.self)
  }

  /// Stores an integer as a float, if the float represents it exactly.
  private static func storeInteger(
    _ value: UnsafePointer<promise_value_t>, isFloat: Bool, _ index: Int, _ slot: UnsafeMutableRawPointer
  ) -> CallFault? {
    let exact: Double? =
      switch Int(value.pointee.kind) {
      case Int(PROMISE_KIND_I64): Double(exactly: bits(value))
      case Int(PROMISE_KIND_U64): Double(exactly: UInt64(bitPattern: bits(value)))
      default: .nan
      }
    guard let exact else { return .outOfRange(index) }
    if exact.isNaN { return .wrongKind(index) }
    if !isFloat {
      slot.storeBytes(of: exact, as: Double.self)
    } else if let float = Float(exactly: exact) {
      slot.storeBytes(of: float, as: Float.self)
    } else {
      return .outOfRange(index)
    }
    return nil
  }

  /// Stores a text that the function borrows, without the switches for other types.
  @inline(__always)
  private static func storeText(
    _ value: UnsafePointer<promise_value_t>, _ index: Int, _ slot: UnsafeMutableRawPointer
  ) -> CallFault? {
    guard value.pointee.kind == promise_kind_t(PROMISE_KIND_STRING) else { return .wrongKind(index) }
    var length = 0
    // A forged value has no content.
    guard let data = promise_value_data(value, &length) else { return .wrongKind(index) }
    slot.storeBytes(of: data, as: UnsafePointer<CChar>.self)
    slot.storeBytes(of: length, toByteOffset: 8, as: Int.self)
    return nil
  }

  private static func storeReference(
    _ value: UnsafePointer<promise_value_t>, as abiType: ABIType, _ index: Int, _ slot: UnsafeMutableRawPointer
  ) -> CallFault? {
    let kind = Int(value.pointee.kind)
    if abiType == .promise {
      guard kind == PROMISE_KIND_PROMISE, let handle = value.pointee.as.ptr else { return .wrongKind(index) }
      guard promise_state(OpaquePointer(handle)) > 0 else { return .stale(index) }
      slot.storeBytes(of: handle, as: UnsafeMutableRawPointer.self)
      return nil
    }
    let takesBytes = abiType == .bytes || abiType == .ownBytes
    guard kind == PROMISE_KIND_STRING || takesBytes && kind == PROMISE_KIND_BYTES else { return .wrongKind(index) }
    var length = 0
    let data = UnsafeRawPointer(promise_value_data(value, &length))
    // A forged value has no content; among valid values only empty BYTES has none.
    guard data != nil || kind == PROMISE_KIND_BYTES && value.pointee.as.ptr == nil else { return .wrongKind(index) }
    switch abiType {
    case .cstr:
      guard let data, memchr(data, 0, length) == nil else { return .nul(index) }
      slot.storeBytes(of: data, as: UnsafeRawPointer.self)
      return nil
    case .ownStr, .ownBytes:
      let copy = HostMemory.allocate(length)
      if length > 0 {
        guard let copy, let data else { return .noMemory }
        memcpy(copy, data, length)
      }
      slot.storeBytes(of: copy, as: UnsafeMutableRawPointer?.self)
    default:
      slot.storeBytes(of: data, as: UnsafeRawPointer?.self)
    }
    slot.storeBytes(of: length, toByteOffset: 8, as: Int.self)
    return nil
  }

  private static func storeStructure(
    _ value: UnsafePointer<promise_value_t>, as parameter: UnsafePointer<CallPlan.Parameter>, _ index: Int,
    _ slot: UnsafeMutableRawPointer
  ) -> CallFault? {
    guard let plan = parameter.pointee.plan else { return .wrongKind(index) }
    return plan._withUnsafeGuaranteedRef { plan in
      if value.pointee.kind == promise_kind_t(PROMISE_KIND_POINTER), let source = value.pointee.as.ptr {
        slot.copyMemory(from: source, byteCount: plan.layout.size)
        return nil
      }
      do throws(ArgumentMismatch) {
        try plan.store(value, at: slot, CallArena())
        return nil
      } catch {
        return .mismatch(index, error)
      }
    }
  }

  /// Frees the memory that was stored for the function to own, if the function is not called.
  static func takeBack(_ parameters: UnsafePointer<CallPlan.Parameter>, before end: Int, of frame: CallFrame) {
    for index in 0..<end where parameters[index].abiType == .ownStr || parameters[index].abiType == .ownBytes {
      HostMemory.free(frame.argument(at: parameters[index].offset).load(as: UnsafeMutableRawPointer?.self))
    }
  }
}
