import CPromise

extension GeneralCall {
  /// Stores the arguments, then the values derived from them: counts, and memory for outputs.
  mutating func storeArguments(_ arguments: Values?, _ given: Int) -> CallFault? {
    for index in 0..<plan.slotCount {
      let slot = plan.slots + index
      var value: Values?
      if let argument = slot.pointee.argument {
        value = argument < given ? arguments.map { $0 + argument } : Values(plan.fallbacks + argument)
        guard let value, value.pointee.kind != 0 || argument < given else { return .missing(argument) }
        if let plain = slot.pointee.plain,
          ArgumentStore.store(value, as: plain, index: argument, at: frame + slot.pointee.offset) == nil
        {
          continue
        }
      }
      if plan.constants[index].kind != 0 { value = Values(plan.constants + index) }
      do throws(ArgumentMismatch) {
        try store(value, slot, index)
      } catch {
        return .mismatch(slot.pointee.argument ?? 0, error)
      }
    }
    if let fault = storeCounts() ?? storeCapacities() { return fault }
    storeCursors()
    guard let arguments, given > plan.inputCount else { return nil }
    for index in plan.inputCount..<given {
      do throws(ArgumentMismatch) {
        try storeTail(arguments + index)
      } catch {
        return .mismatch(index, error)
      }
    }
    return nil
  }

  /// Stores one parameter. Counts, and counted out parameters, are stored later.
  private mutating func store(_ value: Values?, _ slot: Slot, _ index: Int) throws(ArgumentMismatch) {
    let memory = frame + slot.pointee.offset
    if let size = slot.pointee.parameter.allocatedSize {
      // The memory is zeroed, and belongs to the call until the function is entered.
      let object = try arena.allocateOwned(size)
      object?.initializeMemory(as: UInt8.self, repeating: 0, count: size)
      memory.storeBytes(of: object, as: UnsafeMutableRawPointer?.self)
    } else if let role = slot.pointee.role {
      try storeCallback(value, role, memory)
    } else if slot.pointee.areElements {
      guard let value, slot.pointee.parameter.direction != .output else { return }
      let number = try storeElements(value, slot, memory)
      let isNULL = value.pointee.kind == promise_kind_t(PROMISE_KIND_VOID)
      if !isNULL, let stated = slot.pointee.statedCount, number != stated {
        throw ArgumentMismatch(message: "has \(number) bytes, expected \(stated)")
      }
      guard let count = slot.pointee.count else { return setCapacity(index, number) }
      guard let other = capacity(count), other != number else {
        setCapacity(index, number)
        return setCapacity(count, number)
      }
      let name = counted(by: count)?.pointee.parameter.name ?? ""
      throw ArgumentMismatch(message: "has \(number) elements, expected as many as '\(name)', \(other)")
    } else if slot.pointee.parameter.isKept, let value {
      try storeKept(value, slot, memory)
    } else if let cell = slot.pointee.cell {
      if let value {
        try slot.pointee.plan.store(value, at: frame + cell, arena)
      } else if Signature.isGivenByAddress(slot.pointee.parameter.type.unwrapped) {
        (frame + cell).storeBytes(of: promise_kind_t(PROMISE_KIND_VOID), as: promise_kind_t.self)
      } else if case .fd = slot.pointee.plan.form {
        (frame + cell).storeBytes(of: -1, as: Int32.self)
      }
      memory.storeBytes(of: frame + cell, as: UnsafeMutableRawPointer.self)
    } else if let value {
      noteAddress(value, slot)
      try HandleArgument.store(value, slot.pointee.plan, at: memory, arena)
    }
  }

  /// Stores a callback made here, or its context.
  private mutating func storeCallback(
    _ value: Values?, _ role: CallbackPlan.Role, _ memory: UnsafeMutableRawPointer
  ) throws(ArgumentMismatch) {
    guard let plan = plan.callbacks else { return }
    let callbacks = self.callbacks ?? CallCallbacks(plan)
    self.callbacks = callbacks
    arena.callbacks = callbacks
    try callbacks.store(value, role, at: memory)
  }

  /// The least number of bytes behind the address of elements that have no count: the longest key of OpenSSL's ciphers.
  private static let leastRoom = 64

  /// Stores the address of the elements of a counted type. Returns the count.
  private mutating func storeElements(
    _ value: Values, _ slot: Slot, _ memory: UnsafeMutableRawPointer
  ) throws(ArgumentMismatch) -> Int {
    let parameter = slot.pointee.parameter
    if parameter.type.isUncounted, try storeObject(value, slot, memory) { return 0 }
    // The span's two words do not fit into the slot: C takes only the first.
    let arena = parameter.isKept ? keptArena : arena
    let span = try arena.allocate(16)
    if parameter.isKept {
      try slot.pointee.plan.store(try slot.pointee.plan.value(value), at: span, arena)
    } else {
      try slot.pointee.plan.store(value, at: span, arena)
    }
    var data = span.load(as: UnsafeMutableRawPointer?.self)
    let count = span.load(fromByteOffset: 8, as: Int.self)
    let size = slot.pointee.elementSize
    // Zeros end elements that have no count, also for a function that reads a fixed number, such as a cipher's key.
    let room = parameter.type.isUncounted ? max((count + 1) * size, Self.leastRoom) : max(count, 1) * size
    if count == 0, data != nil || !parameter.type.isOptional {
      // NULL means absent, so an empty value needs an address. It points to an element of zeros, because some functions
      // take a count of 0 to mean that a 0 ends the data.
      data = try arena.allocate(room)
    } else if parameter.direction == .inOut || parameter.type.isUncounted, let source = data {
      let copy = try arena.allocate(room)
      copy.write(UnsafeRawBufferPointer(start: source, count: count * size))
      data = copy
    }
    memory.storeBytes(of: data, as: UnsafeMutableRawPointer?.self)
    return count
  }

  /// Stores the counts of counted arguments.
  private func storeCounts() -> CallFault? {
    for index in 0..<plan.slotCount where !(plan.slots + index).pointee.areElements {
      guard let count = capacity(index) else { continue }
      let slot = plan.slots + index
      guard let type = slot.pointee.plan.type.scalar,
        type.store(count, at: frame + (slot.pointee.cell ?? slot.pointee.offset))
      else {
        let (name, countType) = (slot.pointee.parameter.name, slot.pointee.plan.type)
        let message = "has \(count) elements, more than its count '\(name)' of the type \(countType) can hold"
        return .mismatch(counted(by: index)?.pointee.argument ?? 0, ArgumentMismatch(message: message))
      }
    }
    return nil
  }

  /// Returns the first parameter whose count is in this slot.
  private func counted(by count: Int) -> Slot? {
    (0..<plan.slotCount).first { (plan.slots + $0).pointee.count == count && capacity($0) != nil }.map {
      plan.slots + $0
    }
  }

  /// Allocates the memory of counted out parameters, as large as their counts.
  private mutating func storeCapacities() -> CallFault? {
    for index in 0..<plan.slotCount {
      let slot = plan.slots + index
      guard slot.pointee.areElements, slot.pointee.parameter.direction == .output else { continue }
      guard let count = count(of: slot), (0...Self.mostElements).contains(count) else {
        let argument = slot.pointee.count.flatMap { (plan.slots + $0).pointee.argument } ?? -1
        let name = slot.pointee.parameter.name
        let message = "is out of range, expected a number of elements of '\(name)' from 0 to \(Self.mostElements)"
        return .mismatch(argument, ArgumentMismatch(message: message))
      }
      setCapacity(index, count)
      // A function that is given no room may still write an element: that which ends the data.
      guard let data = try? arena.allocate(max(count, 1) * slot.pointee.elementSize) else { return .noMemory }
      (frame + slot.pointee.offset).storeBytes(of: data, as: UnsafeMutableRawPointer.self)
    }
    return nil
  }

  /// Stores the address of each `moving` parameter's elements in its cursor, twice: the function moves the first copy,
  /// and the second is the start. Passes the cursor's address, a `T **`, instead of the elements'.
  private func storeCursors() {
    for index in 0..<plan.slotCount {
      let slot = plan.slots + index
      guard let cursor = slot.pointee.cursor else { continue }
      let data = (frame + slot.pointee.offset).load(as: UInt.self)
      (frame + cursor).storeBytes(of: (data, data), as: (UInt, UInt).self)
      (frame + slot.pointee.offset).storeBytes(of: frame + cursor, as: UnsafeMutableRawPointer.self)
    }
  }

  private static var mostElements: Int { 1 << 30 }

  /// Stores an argument of the tail, as the first type that accepts it.
  private mutating func storeTail(_ value: Values) throws(ArgumentMismatch) {
    let arena = arena
    let memory = try arena.allocate(16)
    var mismatch: ArgumentMismatch?
    for plan in plan.tail {
      do throws(ArgumentMismatch) {
        try plan.store(value, at: memory, arena)
        tail.append((FFIType.of(plan.type), memory))
        return
      } catch {
        mismatch = mismatch ?? error
      }
    }
    guard let mismatch else { return }
    guard plan.tail.count > 1 else { throw mismatch }
    let types = plan.tail.map(\.type.description).joined(separator: " or ")
    throw ArgumentMismatch(message: "is \(value.pointee.nameOfContent), expected \(types)")
  }
}
