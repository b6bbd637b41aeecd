import CPromise

extension GeneralCall {
  /// Stores an argument whose address the function keeps, other than counted elements.
  mutating func storeKept(
    _ value: Values, _ slot: Slot, _ memory: UnsafeMutableRawPointer
  ) throws(ArgumentMismatch) {
    let arena = keptArena
    let plan = slot.pointee.plan
    // Copies content that the value owns, which is freed with the call.
    let content = try plan.value(value)
    guard slot.pointee.parameter.type.isArray else { return try plan.store(content, at: memory, arena) }
    let elements = try arena.allocate(plan.layout.size)
    try plan.store(content, at: elements, arena)
    memory.storeBytes(of: elements, as: UnsafeMutableRawPointer.self)
  }

  /// Stores the address of an object, or a bare address, for a parameter of bytes without a count. Returns false for
  /// any other value.
  mutating func storeObject(
    _ value: Values, _ slot: Slot, _ memory: UnsafeMutableRawPointer
  ) throws(ArgumentMismatch) -> Bool {
    let parameter = slot.pointee.parameter
    guard parameter.type.takesObjects, parameter.direction == .input, !parameter.isMoved else { return false }
    let isAddress = value.pointee.kind == promise_kind_t(PROMISE_KIND_POINTER)
    if !isAddress {
      guard case .pointer? = try ValueConversion.content(value) else { return false }
    }
    guard let plan = TypePlan(.pointer("void")) else { return false }
    hasUnownedAddress = hasUnownedAddress || isAddress
    try plan.store(value, at: memory, parameter.isKept ? keptArena : arena)
    return true
  }

  /// Notes an address that has no owner: the object there may use kept memory for longer than the owned objects.
  mutating func noteAddress(_ value: Values, _ slot: Slot) {
    guard case .pointer = slot.pointee.parameter.type.unwrapped else { return }
    if value.pointee.kind == promise_kind_t(PROMISE_KIND_POINTER) { hasUnownedAddress = true }
  }

  /// Shares the memory that the function keeps with the objects among its arguments or, if there are none, with the
  /// objects that it makes. Memory that the library may keep for longer is never freed.
  mutating func share(_ kept: CallArena) {
    let memory = KeptMemory(kept)
    guard plan.keepsWithObjects, !hasUnownedAddress, !usedObjects.isEmpty || plan.makesObjects,
      !usedObjects.contains(where: \.life.destructor.leavesObject)
    else {
      return memory.keepForever()
    }
    // An object that kept itself would never be destroyed.
    for object in usedObjects where !kept.used.contains(where: { $0 === object }) { object.keep(memory) }
    keptMemory = memory
  }
}

extension ValueType {
  /// Whether an object is accepted in place of the data, as for a `const void *`.
  var takesObjects: Bool { unwrapped == .counted(.bytes, by: Self.noCount) }
}

extension Signature {
  /// Whether the call returns an object that the host owns.
  var makesObjects: Bool {
    (result.map(\.isOwnedObject) ?? false) || outputs.contains { $0.type.isOwnedObject }
  }

  /// Whether each address among the arguments and results may be that of an object, so that the end of all of them is
  /// known.
  var keepsWithObjects: Bool {
    let given = ([result] + outputs.filter { $0.allocatedSize == nil }.map(\.type)).compactMap(\.self)
    let allocated = outputs.filter { $0.allocatedSize != nil }
    return given.allSatisfy { $0.isDestroyedObject || !$0.hasPointer } && allocated.allSatisfy(\.type.isOwnedObject)
      && inputs.allSatisfy { parameter in
        if case .pointer = parameter.type.unwrapped { return true }
        return parameter.type.isOwnedObject || !parameter.type.hasPointer
      }
  }
}
