import CPluginEdge

// Scalars in C's memory. All supported machines are little-endian: the low bytes of a word are the narrow integer.
extension ScalarType {
  /// Loads the bits of a word, with the sign of a signed integer extended.
  func bits(at memory: UnsafeRawPointer) -> Int64 {
    let bits: Int64 =
      switch size {
      case 1: Int64(memory.load(as: UInt8.self))
      case 2: Int64(memory.load(as: UInt16.self))
      case 4: Int64(memory.load(as: UInt32.self))
      default: memory.load(as: Int64.self)
      }
    return form == .signed ? (bits << unusedBits) >> unusedBits : bits
  }

  /// Stores the low bytes of a word.
  func store(bits: Int64, at memory: UnsafeMutableRawPointer) {
    switch size {
    case 1: memory.storeBytes(of: UInt8(truncatingIfNeeded: bits), as: UInt8.self)
    case 2: memory.storeBytes(of: UInt16(truncatingIfNeeded: bits), as: UInt16.self)
    case 4: memory.storeBytes(of: UInt32(truncatingIfNeeded: bits), as: UInt32.self)
    default: memory.storeBytes(of: bits, as: Int64.self)
    }
  }

  /// Loads a number; `nil` if it does not fit in an Int.
  func integer(at memory: UnsafeRawPointer) -> Int? {
    let bits = bits(at: memory)
    return form == .signed ? Int(exactly: bits) : Int(exactly: UInt64(bitPattern: bits))
  }

  /// Stores a number, and returns whether the type can represent it.
  func store(_ number: Int, at memory: UnsafeMutableRawPointer) -> Bool {
    guard isInteger, suiting(.int(Int64(number))) != nil else { return false }
    store(bits: Int64(number), at: memory)
    return true
  }

  /// Loads a value.
  func value(at memory: UnsafeRawPointer) throws(ArgumentMismatch) -> PluginValue {
    if self == .f64x { return .double(plugin_long_double_load(memory)) }
    let bits = bits(at: memory)
    switch form {
    case .bool:
      guard bits <= 1 else {
        throw ArgumentMismatch(message: "is \(bits), expected false or true, which are 0 and 1 in C")
      }
      return .bool(bits == 1)
    case .signed: return .int(bits)
    case .unsigned: return .uint(UInt64(bitPattern: bits))
    case .float where size == 4: return .double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    case .float: return .double(Double(bitPattern: UInt64(bitPattern: bits)))
    }
  }

  /// Stores a value, and returns whether it suits the type.
  func store(_ value: PluginValue, at memory: UnsafeMutableRawPointer) -> Bool {
    switch suiting(value) {
    case .bool(let value): store(bits: value ? 1 : 0, at: memory)
    case .int(let number): store(bits: number, at: memory)
    case .uint(let number): store(bits: Int64(bitPattern: number), at: memory)
    case .double(let number) where self == .f64x: plugin_long_double_store(number, memory)
    case .double(let number) where size == 4: store(bits: Int64(Float(number).bitPattern), at: memory)
    case .double(let number): store(bits: Int64(bitPattern: number.bitPattern), at: memory)
    default: return false
    }
    return true
  }
}
