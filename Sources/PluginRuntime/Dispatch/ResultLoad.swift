import CPromise
import Glibc

/// Converts a function's result in memory to a value.
enum ResultLoad {
  /// Loads a result, owned by the caller, or returns a fault. Frees owned memory in both cases.
  @inline(__always)
  static func load(
    _ abiType: ABIType, from memory: UnsafeRawPointer, into result: UnsafeMutablePointer<promise_value_t>
  ) -> CallFault? {
    switch abiType {
    case .void: set(result, PROMISE_KIND_VOID, 0)
    case .bool:
      let byte = memory.load(as: UInt8.self)
      guard byte <= 1 else { return .badBool(byte) }
      set(result, PROMISE_KIND_BOOL, Int64(byte))
    case .i8: set(result, PROMISE_KIND_I64, Int64(memory.load(as: Int8.self)))
    case .i16: set(result, PROMISE_KIND_I64, Int64(memory.load(as: Int16.self)))
    case .i32: set(result, PROMISE_KIND_I64, Int64(memory.load(as: Int32.self)))
    case .i64: set(result, PROMISE_KIND_I64, memory.load(as: Int64.self))
    case .u8: set(result, PROMISE_KIND_U64, Int64(memory.load(as: UInt8.self)))
    case .u16: set(result, PROMISE_KIND_U64, Int64(memory.load(as: UInt16.self)))
    case .u32: set(result, PROMISE_KIND_U64, Int64(memory.load(as: UInt32.self)))
    case .u64: set(result, PROMISE_KIND_U64, memory.load(as: Int64.self))
    case .f32: set(result, PROMISE_KIND_F64, Int64(bitPattern: Double(memory.load(as: Float.self)).bitPattern))
    case .f64: set(result, PROMISE_KIND_F64, memory.load(as: Int64.self))
    case .str, .bytes, .cstr, .ownStr, .ownBytes, .promise: return loadReference(abiType, from: memory, into: result)
    case .nullablePointer where memory.load(as: Int.self) == 0: set(result, PROMISE_KIND_VOID, 0)
    case .pointer, .nullablePointer:
      if memory.load(as: Int.self) == 0 { return .nullResult }
      set(result, PROMISE_KIND_POINTER, memory.load(as: Int64.self))
    // Loaded by their plans, which know their sizes.
    case .structure, .other: preconditionFailure("a result that its plan loads")
    }
    return nil
  }

  @inline(__always)
  private static func set(_ result: UnsafeMutablePointer<promise_value_t>, _ kind: Int, _ bits: Int64) {
    result.pointee.kind = promise_kind_t(kind)
    result.pointee.reserved = 0
    UnsafeMutableRawPointer(result).storeBytes(of: bits, toByteOffset: 8, as: Int64.self)
  }

  /// The maximum length: more bytes than the address space has.
  private static let longest = 1 << 47

  private static func loadReference(
    _ abiType: ABIType, from memory: UnsafeRawPointer, into result: UnsafeMutablePointer<promise_value_t>
  ) -> CallFault? {
    let pointer = memory.load(as: UnsafeMutableRawPointer?.self)
    switch abiType {
    case .promise:
      guard let pointer else { return .nullResult }
      guard promise_state(OpaquePointer(pointer)) > 0 else { return .staleResult }
      set(result, PROMISE_KIND_PROMISE, Int64(Int(bitPattern: pointer)))
      return nil
    case .cstr:
      guard let pointer else { return .nullResult }
      return fault(promise_value_string(result, pointer.assumingMemoryBound(to: CChar.self), strlen(pointer)))
    default:
      let length = memory.load(fromByteOffset: 8, as: Int.self)
      let isOwned = abiType == .ownStr || abiType == .ownBytes
      defer { if isOwned { HostMemory.free(pointer) } }
      guard pointer != nil || length == 0 else { return .nullResult }
      guard (0...Self.longest).contains(length) else { return .wildLength }
      return abiType == .str || abiType == .ownStr
        ? fault(promise_value_string(result, pointer?.assumingMemoryBound(to: CChar.self), length))
        : fault(promise_value_bytes(result, pointer, length))
    }
  }

  private static func fault(_ status: promise_status_t) -> CallFault? {
    status == PROMISE_OK ? nil : status == PROMISE_ENOMEM ? .noMemory : .resultNotUTF8
  }
}
