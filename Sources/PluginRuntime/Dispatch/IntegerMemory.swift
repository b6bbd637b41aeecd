/// Loads and stores C integers of any width, for the counts of calls.
enum IntegerMemory {
  /// Loads a number; `nil` if it does not fit in an Int.
  static func load(_ type: ValueType, _ memory: UnsafeRawPointer) -> Int? {
    switch type {
    case .i8: Int(memory.load(as: Int8.self))
    case .i16: Int(memory.load(as: Int16.self))
    case .i32: Int(memory.load(as: Int32.self))
    case .i64, .isize: Int(exactly: memory.load(as: Int64.self))
    case .u8, .bool: Int(memory.load(as: UInt8.self))
    case .u16: Int(memory.load(as: UInt16.self))
    case .u32: Int(memory.load(as: UInt32.self))
    default: Int(exactly: memory.load(as: UInt64.self))
    }
  }

  /// Loads an integer as the low bits of a word, with its sign extended.
  static func bits(_ type: ValueType, _ memory: UnsafeRawPointer) -> UInt {
    switch type {
    case .u64, .usize: memory.load(as: UInt.self)
    default: UInt(bitPattern: load(type, memory) ?? 0)
    }
  }

  /// Stores a number, and returns whether the type can represent it. All supported machines are little-endian.
  static func store(_ number: Int, _ plan: TypePlan, _ memory: UnsafeMutableRawPointer) -> Bool {
    let fits =
      plan.type.signedRange.map { $0.contains(Int64(number)) } ?? plan.type.unsignedRange.map {
        UInt64(exactly: number).map($0.contains) ?? false
      } ?? false
    guard fits else { return false }
    withUnsafeBytes(of: Int64(number)) { memory.write(UnsafeRawBufferPointer(rebasing: $0[..<plan.layout.size])) }
    return true
  }
}
