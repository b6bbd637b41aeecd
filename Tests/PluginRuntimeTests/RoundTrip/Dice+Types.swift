@testable import PluginRuntime

extension Dice {
  static let scalars: [ValueType] = ScalarType.allCases.map { .scalar($0) }

  /// Returns a random type that can be in memory.
  ///
  /// - Parameter unions: whether it is passed by its address, so that its structs may have unions.
  mutating func data(depth: Int = 0, unions: Bool = false) -> ValueType {
    switch roll(depth > 2 ? 60 : 100) {
    case ..<44: return pick(Self.scalars)
    case ..<48: return .cstr
    case ..<52: return pick([.str, .bytes])
    case ..<55: return .pointer("T\(roll(3))")
    case ..<60: return .optional(pick(Self.scalars + [.cstr, .str, .bytes, .pointer("T1")]))
    case ..<70:
      return .slice(
        depth > 0 || chance(50) ? pick(Self.scalars + [.cstr, .str]) : structure(depth: depth + 1, unions: true))
    default: return structure(depth: depth + 1, unions: unions)
    }
  }

  mutating func structure(depth: Int, unions: Bool) -> ValueType {
    var fields: [StructType.Field] = []
    for index in 0...roll(depth > 1 ? 3 : 6) {
      let tags = fields.filter { $0.type.isInteger }
      if unions, !tags.isEmpty, chance(30) {
        fields.append(StructType.Field(name: "f\(index)", type: .union(union(taggedBy: pick(tags), depth: depth))))
        continue
      }
      let element = data(depth: depth + 1, unions: unions)
      var type = chance(15) ? .array(element, count: 1 + roll(4)) : element
      if chance(8) { type = .inlineText(size: 2 + roll(15)) }
      fields.append(StructType.Field(name: "f\(index)", type: type))
    }
    return .structure(StructType(fields: fields))
  }

  private mutating func union(taggedBy tag: StructType.Field, depth: Int) -> UnionType {
    var members: [StructType.Field] = []
    var values: [ConstantSet.Constant] = []
    for index in 0...roll(3) {
      let value = integer(tag.type)
      guard !values.contains(where: { $0.value == value }) else { continue }
      let name = "m\(index)"
      members.append(StructType.Field(name: name, type: data(depth: depth + 1, unions: true)))
      values.append(ConstantSet.Constant(name: name, value: value))
    }
    let set = ConstantSet(base: tag.type, areFlags: false, constants: values)
    return UnionType(tag: tag.name, members: members, values: set)
  }

  /// Returns a random value of a struct. Most tags of unions are those of a member.
  private mutating func value(_ type: StructType) -> PluginValue {
    var members: [PluginMember] = []
    for field in type.fields {
      var value: PluginValue
      if case .union(let union) = field.type {
        let tag = members.first { $0.name == union.tag }?.value
        value = union.choice(tagged: tag).map { self.value($0) } ?? .void
      } else {
        value = self.value(field.type)
        if chance(90), let union = type.union(taggedBy: field.name) { value = pick(union.values.constants).value }
      }
      members.append(PluginMember(field.name, value))
    }
    return .object(members)
  }

  /// Returns a random value of the type, with a preference for the edges of its range.
  mutating func value(_ type: ValueType) -> PluginValue {
    switch type {
    case .bool: return .bool(chance(50))
    case .f32:
      let bits =
        chance(30)
        ? pick([0, 0x8000_0000, 0x7F80_0000, 0xFF80_0000, 1, 0x7F7F_FFFF]) : UInt32(truncatingIfNeeded: next())
      // A PluginValue has an f32 widened, which a signalling NaN does not survive.
      let number = Float(bitPattern: bits)
      return .double(Double(number.isNaN ? Float(bitPattern: bits | 0x40_0000) : number))
    case .f64, .f64x:
      let number =
        chance(30) ? pick([0, -0.0, .infinity, .nan, .leastNonzeroMagnitude, 0.1]) : Double(bitPattern: next())
      // A signalling NaN does not survive this widening either.
      let isQuieted = number.isNaN && type == .f64x
      return .double(isQuieted ? Double(bitPattern: number.bitPattern | 1 << 51) : number)
    case .cstr: return .string(text(from: 1))
    case .inlineText(let size):
      var text = text(from: 1)
      while text.utf8.count >= size { text.removeLast() }
      return .string(text)
    case .str: return .string(text(from: 0))
    case .bytes: return .bytes((0..<roll(12)).map { _ in UInt8(truncatingIfNeeded: next()) })
    case .pointer(let name): return .pointer(PluginPointer(name: name, address: UInt(next() >> 2 | 1)))
    case .structure(let type): return value(type)
    case .array(let element, let count): return .array((0..<count).map { _ in value(element) })
    case .slice(let element): return .array((0..<roll(5)).map { _ in value(element) })
    case .optional(let wrapped): return chance(30) ? .void : value(wrapped)
    case .own(let wrapped, _), .reference(let wrapped): return value(wrapped)
    default: return integer(type)
    }
  }

  private mutating func integer(_ type: ValueType) -> PluginValue {
    if let range = type.signedRange {
      let number = Int64(bitPattern: next()) >> Int64(63 - (64 - (range.upperBound.leadingZeroBitCount)))
      return .int(chance(30) ? pick([range.lowerBound, range.upperBound, 0, -1, 1]) : number)
    }
    let range = type.unsignedRange ?? 0...0
    return .uint(chance(30) ? pick([0, range.upperBound, 1]) : next() & range.upperBound)
  }

  private mutating func text(from first: UInt32) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<roll(8) {
      let limit: UInt32 = pick([0x7F, 0x7FF, 0xFFFF, 0x10FFFF])
      text.append(Unicode.Scalar(first + UInt32(truncatingIfNeeded: next()) % limit) ?? "x")
    }
    return String(text)
  }
}
