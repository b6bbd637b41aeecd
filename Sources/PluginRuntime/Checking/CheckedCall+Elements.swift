extension CheckedCall {
  /// Returns a number of elements for each count: at most 12 for elements that are addresses.
  func elementCounts(_ values: inout Dice) -> [String: Int] {
    var elementCounts: [String: Int] = [:]
    for parameter in signature.parameters {
      guard let name = parameter.type.countName else { continue }
      let constant = signature.parameters.first { $0.isConstant && $0.name == name }?.constantBits
      let count = constant.map { Int(truncatingIfNeeded: $0) } ?? elementCounts[name] ?? values.count()
      elementCounts[name] = parameter.type.element.isAddress ? min(count, 12) : count
    }
    return elementCounts
  }

  /// Returns random elements in their C form: texts and objects as addresses.
  func elements(
    of type: ValueType, count: Int, _ index: Int, _ values: inout Dice, _ memory: CheckedMemory
  ) throws(Unmade) -> [UInt8] {
    var all: [UInt8] = []
    for _ in 0..<count {
      switch type {
      case .cstr, .optional(.cstr):
        let address = UInt(bitPattern: try read(values.text(), index, memory))
        withUnsafeBytes(of: address) { all += $0 }
      case .pointer(let name), .optional(.pointer(let name)):
        guard let object = objects[name] else { throw Unmade("it needs a \(name)", needs: name) }
        withUnsafeBytes(of: object) { all += $0 }
      default:
        guard let bytes = values.bytes(of: type) else {
          throw Unmade("'\(names[index])' has elements of the type \(type), which the check does not support")
        }
        all += bytes
      }
    }
    return all
  }

  /// Returns the address of elements without a count, followed by a zero, as the host passes them.
  func uncounted(
    _ parameter: Parameter, _ index: Int, _ values: inout Dice, _ memory: CheckedMemory
  ) throws(Unmade) -> UnsafeMutableRawPointer? {
    let type = parameter.type
    if type.isOptional, values.roll(2) == 0 { return nil }
    if type.content == .bytes, parameter.direction == .input, memory.hasUnknownData {
      // An object may be given in the place of data.
      if let object = objects["void"] { return UnsafeMutableRawPointer(bitPattern: object) }
      if values.roll(2) == 0 { throw Unmade("it needs an object", needs: "void") }
    }
    let element = type.element
    let end = [UInt8](repeating: 0, count: TypeLayout(of: element)?.size ?? 1)
    // Elements that are only read are many: the function does not get their number, so a read beyond them proves
    // nothing.
    let count = type.content != .str && parameter.direction == .input ? 4096 : values.count()
    let bytes =
      type.content == .str
      ? values.text(count)
      : try elements(of: element, count: element.isAddress ? min(count, 12) : count, index, &values, memory)
    return parameter.direction == .input
      ? try read(bytes + end, index, memory) : try written(bytes + end, index, memory)
  }

  /// Returns nonzero elements followed by a zero.
  func ended(
    _ type: ValueType, _ index: Int, _ values: inout Dice, _ memory: CheckedMemory
  ) throws(Unmade) -> [UInt8] {
    let size = TypeLayout(of: type)?.size ?? 8
    let count = values.roll(12)
    guard case .scalar = type else {
      return try elements(of: type, count: count, index, &values, memory) + [UInt8](repeating: 0, count: size)
    }
    let letters = (0..<count).flatMap { _ in
      [UInt8(1 + values.roll(127))] + [UInt8](repeating: 0, count: size - 1)
    }
    return letters + [UInt8](repeating: 0, count: size)
  }
}
