@preconcurrency import CFFI
import CPromise
import Glibc

/// One call by a general plan: arguments in, the call, and what it left.
struct GeneralCall {
  typealias Values = UnsafePointer<promise_value_t>

  let plan: GeneralPlan
  let arena: CallArena
  /// `nil` if nothing of ours is passed for the function to call.
  private var callbacks: CallCallbacks?
  let frame: UnsafeMutableRawPointer
  /// What C takes: where each argument lies, and of which type, the tail's too.
  private var addresses: [UnsafeMutableRawPointer?]
  private var tailTypes: [FFIType.Reference] = []
  /// How many elements there was room for, by slot.
  private(set) var rooms: [Int: Int] = [:]
  /// errno, as the function left it.
  private(set) var errorNumber: Int32 = 0

  private init(_ plan: GeneralPlan, _ arena: CallArena) throws(ArgumentMismatch) {
    self.plan = plan
    self.arena = arena
    frame = try arena.allocate(plan.frameSize)
    addresses = []
    addresses.reserveCapacity(plan.count)
  }

  /// Calls the function on this thread, as `CallPlan.invoke` does.
  ///
  /// - Parameter kept: becomes the memory that a promise which the function returned keeps in use.
  static func invoke(
    _ plan: GeneralPlan, _ arguments: Values?, _ given: Int, into result: UnsafeMutablePointer<promise_value_t>,
    keeping kept: inout CallArena?
  ) -> CallOutcome {
    let inputs = plan.signature.inputIndices.count
    guard given <= inputs || !plan.tail.isEmpty && given - inputs <= SignatureLimits.tail else {
      return .fault(.tooMany)
    }
    let arena = CallArena()
    do {
      var call = try GeneralCall(plan, arena)
      let outcome = try call.run(arguments, given, into: result)
      if plan.signature.result?.isPromise ?? false { kept = arena }
      return call.callbacks?.conclude(outcome, result) ?? outcome
    } catch {
      return .fault(.noMemory)
    }
  }

  /// Makes the call, and a value of what it left.
  private mutating func run(
    _ arguments: Values?, _ given: Int, into result: UnsafeMutablePointer<promise_value_t>
  ) throws(ArgumentMismatch) -> CallOutcome {
    if let fault = storeArguments(arguments, given) { return .fault(fault) }
    if let fault = try perform() {
      // It may have been filled before.
      let error = (frame + plan.errorCell).assumingMemoryBound(to: promise_value_t.self)
      if CallPlan.isWellFormed(error) { promise_value_release(error) }
      return .fault(fault)
    }
    return conclude(into: result)
  }

  /// Stores what the call gives, then what follows from that: counts, and room for what comes back.
  private mutating func storeArguments(_ arguments: Values?, _ given: Int) -> CallFault? {
    var counts: [Int: (count: Int, slot: Int)] = [:]
    for (index, slot) in plan.slots.enumerated() {
      let memory = frame + slot.offset
      var value: Values?
      if let argument = slot.argument {
        value = argument < given ? arguments.map { $0 + argument } : Values(plan.fallbacks + argument)
        guard let value, value.pointee.kind != 0 || argument < given else { return .missing(argument) }
      }
      do throws(ArgumentMismatch) {
        if let callbacks = plan.callbacks, let role = callbacks.roles[index] {
          if !callbacks.storePlain(value, role, at: memory) { try storeCallback(value, callbacks, role, memory) }
        } else if let value, let count = slot.count, slot.parameter.direction != .output {
          let number = try storeElements(value, slot, memory)
          if let other = counts[count], other.count != number {
            let name = plan.slots[other.slot].parameter.name
            throw ArgumentMismatch(message: "has \(number) elements, expected as many as '\(name)', \(other.count)")
          }
          counts[count] = (number, index)
          rooms[index] = number
        } else {
          try store(value, slot, memory)
        }
      } catch {
        return .mismatch(Mismatch(slot.argument ?? 0, error))
      }
    }
    if let fault = storeCounts(counts) { return fault }
    do throws(ArgumentMismatch) {
      try storeRoom()
    } catch {
      return .mismatch(Mismatch(-1, error))
    }
    addresses = plan.slots.map { frame + $0.offset }
    if let halved = plan.halved { addresses.insert(frame + plan.slots[halved].offset + 8, at: halved + 1) }
    let inputs = plan.signature.inputIndices.count
    guard let arguments, given > inputs else { return nil }
    for index in inputs..<given {
      do throws(ArgumentMismatch) {
        try storeTail(arguments + index)
      } catch {
        return .mismatch(Mismatch(index, error))
      }
    }
    return nil
  }

  /// Stores a callback that we make, or its context.
  private mutating func storeCallback(
    _ value: Values?, _ plan: CallbackPlan, _ role: CallbackPlan.Role, _ memory: UnsafeMutableRawPointer
  ) throws(ArgumentMismatch) {
    let callbacks = self.callbacks ?? CallCallbacks(plan)
    self.callbacks = callbacks
    arena.callbacks = callbacks
    try callbacks.store(value, role, at: memory)
  }

  /// Stores one parameter whose value is neither counted nor a count.
  private func store(
    _ value: Values?, _ slot: GeneralPlan.Slot, _ memory: UnsafeMutableRawPointer
  ) throws(ArgumentMismatch) {
    let plan = slot.plan
    if slot.parameter.isByAddress {
      guard slot.count == nil else { return }
      let cell = frame + slot.cell
      if let value {
        try plan.store(value, at: cell, arena)
      } else if Signature.isGivenByAddress(slot.parameter.type.unwrapped) {
        cell.storeBytes(of: promise_kind_t(PROMISE_KIND_VOID), as: promise_kind_t.self)
      }
      memory.storeBytes(of: cell, as: UnsafeMutableRawPointer.self)
    } else if let value {
      try HandleArgument.store(value, plan, at: memory, arena)
    }
  }

  /// Stores the address of elements whose count another parameter has. Returns the count.
  private func storeElements(
    _ value: Values, _ slot: GeneralPlan.Slot, _ memory: UnsafeMutableRawPointer
  ) throws(ArgumentMismatch) -> Int {
    let plan = slot.plan
    // A span's two words, of which C takes the first; so they do not fit into the slot.
    let span = try arena.allocate(16)
    try plan.store(value, at: span, arena)
    var data = span.load(as: UnsafeMutableRawPointer?.self)
    let count = span.load(fromByteOffset: 8, as: Int.self)
    if slot.parameter.direction == .inOut, let source = data {
      data = try arena.copy(UnsafeRawBufferPointer(start: source, count: count * slot.elementSize))
    }
    // NULL is for what is absent, not for what is empty.
    if data == nil, slot.parameter.type.unwrapped == slot.parameter.type { data = try arena.allocate(0) }
    memory.storeBytes(of: data, as: UnsafeMutableRawPointer?.self)
    return count
  }

  /// Stores the counts of what was given.
  private func storeCounts(_ counts: [Int: (count: Int, slot: Int)]) -> CallFault? {
    for (index, (count, counted)) in counts {
      let slot = plan.slots[index]
      let memory = frame + (slot.parameter.isByAddress ? slot.cell : slot.offset)
      guard IntegerMemory.store(count, slot.parameter.type, memory) else {
        let message =
          "has \(count) elements, more than its count '\(slot.parameter.name)' can say, an \(slot.parameter.type)"
        return .mismatch(Mismatch(plan.slots[counted].argument ?? 0, ArgumentMismatch(message: message)))
      }
    }
    return nil
  }

  /// Sets aside what counted out parameters point to: as much as their count says that there is room for.
  private mutating func storeRoom() throws(ArgumentMismatch) {
    for (index, slot) in plan.slots.enumerated() where slot.parameter.direction == .output && slot.count != nil {
      guard let count = count(of: slot), (0...Self.mostElements).contains(count) else {
        throw ArgumentMismatch(message: "has too much room, expected a count from 0 to \(Self.mostElements)")
      }
      rooms[index] = count
      let data = try arena.allocate(count * slot.elementSize)
      (frame + slot.offset).storeBytes(of: data, as: UnsafeMutableRawPointer.self)
    }
  }

  private static var mostElements: Int { 1 << 30 }

  /// The count of a counted parameter, as it now is.
  func count(of slot: GeneralPlan.Slot) -> Int? {
    guard let index = slot.count else { return nil }
    let count = plan.slots[index]
    return IntegerMemory.load(count.parameter.type, frame + (count.parameter.isByAddress ? count.cell : count.offset))
  }

  /// Stores an argument of the tail, as the first type that takes it.
  private mutating func storeTail(_ value: Values) throws(ArgumentMismatch) {
    let memory = try arena.allocate(16)
    var mismatch: ArgumentMismatch?
    for plan in plan.tail {
      do throws(ArgumentMismatch) {
        try plan.store(value, at: memory, arena)
        addresses.append(memory)
        tailTypes.append(FFIType.of(plan.type))
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

  /// Calls the function. Gives how it was left, if not by returning.
  private mutating func perform() throws(ArgumentMismatch) -> CallFault? {
    let isByAddress = Signature.isGivenByAddress(plan.signature.returned)
    let cells = (try arena.allocate(16)).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
    (cells[0], cells[1]) = (frame + plan.resultCell, frame + plan.errorCell)
    let fixed = plan.slots.count + (plan.halved == nil ? 0 : 1)
    if plan.result != nil, plan.signature.fails || isByAddress { addresses.insert(cells, at: fixed) }
    if plan.signature.fails { addresses.insert(cells + 1, at: plan.count - 1) }
    for cell in [plan.errorCell] + (isByAddress ? [plan.resultCell] : []) {
      (frame + cell).storeBytes(of: promise_kind_t(PROMISE_KIND_VOID), as: promise_kind_t.self)
    }
    var interface = plan.interface.pointee
    if !plan.tail.isEmpty {
      let count = plan.count + tailTypes.count
      let types = (try arena.allocate(count * MemoryLayout<FFIType.Reference>.size))
        .assumingMemoryBound(to: FFIType.Reference?.self)
      for index in 0..<plan.count { types[index] = plan.types[index] }
      for (index, type) in tailTypes.enumerated() { types[plan.count + index] = type }
      let status = ffi_prep_cif_var(
        &interface, FFI_DEFAULT_ABI, UInt32(plan.count), UInt32(count), plan.returnType, types)
      guard status == FFI_OK else { throw CallArena.noMemory }
    }
    arena.handOver()
    let returned = frame + plan.returned
    let entry = plan.entry
    errno = 0
    let fault = addresses.withUnsafeMutableBufferPointer {
      CallEdge.call(&interface, entry, returned, $0.baseAddress)
    }
    errorNumber = errno
    return fault
  }
}

extension GeneralPlan.Slot {
  /// The size of one of the elements that a counted parameter has.
  var elementSize: Int { TypeLayout(of: parameter.type.element)?.size ?? 1 }
}

extension ValueType {
  var isPromise: Bool { if case .promise = self { true } else { false } }
}
