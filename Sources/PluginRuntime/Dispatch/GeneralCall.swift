@preconcurrency import CFFI
import CPromise
import Glibc

/// One call by a general plan: stores the arguments, calls the function, loads the results.
struct GeneralCall {
  typealias Values = UnsafePointer<promise_value_t>
  typealias Slot = UnsafePointer<GeneralPlan.Slot>

  let plan: GeneralPlan
  /// The frame; its bytes are initially zero.
  let frame: UnsafeMutableRawPointer
  /// The arguments' memory outside the frame; `nil` while none is needed.
  private var memory: CallArena?
  /// The callbacks made for this call; `nil` if it has none.
  var callbacks: CallCallbacks?
  /// The arguments beyond the parameters.
  var tail: [(type: FFIType.Reference, address: UnsafeMutableRawPointer)] = []
  /// The function's errno.
  private(set) var errorNumber: Int32 = 0

  /// Calls the function on this thread, as `CallPlan.invoke` does.
  ///
  /// - Parameter kept: receives the memory that a returned promise keeps in use.
  static func invoke(
    _ plan: GeneralPlan, _ arguments: Values?, _ given: Int, into result: UnsafeMutablePointer<promise_value_t>,
    keeping kept: inout CallArena?
  ) -> CallOutcome {
    guard given <= plan.inputCount || !plan.tail.isEmpty && given - plan.inputCount <= SignatureLimits.tail else {
      return .fault(.tooMany)
    }
    if !plan.lends, plan.frame.size <= smallSize {
      // An allocation of a constant size is on the stack, and costs nothing.
      return withUnsafeTemporaryAllocation(byteCount: smallSize, alignment: 16) { frame in
        // A nonempty allocation has an address.
        let frame = frame.baseAddress.unsafelyUnwrapped
        frame.initializeMemory(as: UInt8.self, repeating: 0, count: plan.frame.size)
        var call = GeneralCall(plan: plan, frame: frame)
        return call.run(arguments, given, into: result)
      }
    }
    let arena = CallArena(for: (plan.signature.name, plan.entry))
    guard let frame = try? arena.allocate(plan.frame.size) else { return .fault(.noMemory) }
    if plan.lends { kept = arena }
    var call = GeneralCall(plan: plan, frame: frame, memory: arena)
    return call.run(arguments, given, into: result)
  }

  private static var smallSize: Int { 1024 }

  var arena: CallArena {
    mutating get {
      if let memory { return memory }
      let arena = CallArena(for: (plan.signature.name, plan.entry))
      memory = arena
      return arena
    }
  }

  /// The memory of arguments whose addresses the function keeps; `nil` while none is needed.
  private var kept: CallArena?
  /// The shared memory, after the objects that keep it are known.
  var keptMemory: KeptMemory?
  /// Whether an argument is an address in the library that no object owns.
  var hasUnownedAddress = false

  var keptArena: CallArena {
    mutating get {
      if let kept { return kept }
      let arena = CallArena()
      kept = arena
      return arena
    }
  }

  /// The objects among the function's arguments.
  var usedObjects: [PluginObject] { memory?.used ?? [] }

  /// The used objects and the memory that an object made by the function keeps alive.
  var objects: [any ObjectSource] { usedObjects + [keptMemory].compactMap(\.self) }

  /// Makes the call, and stores its value or reason.
  private mutating func run(
    _ arguments: Values?, _ given: Int, into result: UnsafeMutablePointer<promise_value_t>
  ) -> CallOutcome {
    let outcome = perform(arguments, given, into: result)
    return callbacks?.conclude(outcome, result, isPromise: plan.lends) ?? outcome
  }

  private mutating func perform(
    _ arguments: Values?, _ given: Int, into result: UnsafeMutablePointer<promise_value_t>
  ) -> CallOutcome {
    if let fault = storeArguments(arguments, given) { return .fault(fault) }
    do throws(ArgumentMismatch) {
      let lent = plan.hasFields ? writeFields() : []
      defer { restoreFields(lent) }
      guard let fault = try enter() else {
        if plan.hasFields { readFields() }
        return conclude(into: result)
      }
      if plan.error != nil { return .fault(fault) }
      // The function may have stored an error before it was left.
      let error = (frame + plan.frame.error).assumingMemoryBound(to: promise_value_t.self)
      if CallPlan.isWellFormed(error) { promise_value_release(error) }
      return .fault(fault)
    } catch {
      return .fault(.noMemory)
    }
  }

  /// Calls the function. Returns a fault if it does not return.
  private mutating func enter() throws(ArgumentMismatch) -> CallFault? {
    (frame + plan.frame.resultAddress).storeBytes(of: frame + plan.frame.result, as: UnsafeMutableRawPointer.self)
    (frame + plan.frame.errorAddress).storeBytes(of: frame + plan.frame.error, as: UnsafeMutableRawPointer.self)
    let void = promise_kind_t(PROMISE_KIND_VOID)
    // A GError is present if its address is not NULL.
    if plan.error == nil { (frame + plan.frame.error).storeBytes(of: void, as: promise_kind_t.self) }
    if plan.isResultValue { (frame + plan.frame.result).storeBytes(of: void, as: promise_kind_t.self) }
    // 0 would be the standard input.
    if case .fd? = plan.result?.form { (frame + plan.frame.result).storeBytes(of: -1, as: Int32.self) }
    let fixed = (frame + plan.frame.addresses).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    for index in 0..<plan.count { fixed[index] = frame + plan.offsets[index] }
    guard plan.tail.isEmpty else { return try enterWithTail(fixed) }
    return enter(plan.interface, fixed)
  }

  private mutating func enter(
    _ interface: UnsafeMutablePointer<ffi_cif>, _ addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> CallFault? {
    memory?.transferOwnership()
    if let kept { share(kept) }
    errno = 0
    let fault = CallEdge.call(plan.subject, interface, plan.entry, frame + plan.frame.returned, addresses)
    errorNumber = errno
    return fault
  }

  /// Calls a variadic function. Its interface is prepared for each call, from the types of the arguments.
  private mutating func enterWithTail(
    _ fixed: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) throws(ArgumentMismatch) -> CallFault? {
    let count = plan.count + tail.count
    let words = try arena.allocate(2 * count * MemoryLayout<UnsafeMutableRawPointer>.size)
    let types = words.assumingMemoryBound(to: FFIType.Reference?.self)
    let addresses = (words + count * MemoryLayout<FFIType.Reference>.size)
      .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    types.update(from: plan.types, count: plan.count)
    addresses.update(from: fixed, count: plan.count)
    for (index, argument) in tail.enumerated() {
      types[plan.count + index] = argument.type
      addresses[plan.count + index] = argument.address
    }
    var interface = plan.interface.pointee
    guard
      FFIType.prepare(&interface, variadicFrom: plan.count, count: count, returning: plan.returnType, types)
    else { throw CallArena.noMemory }
    return enter(&interface, addresses)
  }
}

extension GeneralCall {
  /// Returns the number of elements of a slot, or the number that fits in its memory; for a count slot, the required
  /// count.
  func capacity(_ index: Int) -> Int? {
    let words = (frame + plan.frame.capacities).assumingMemoryBound(to: Int.self)
    // Stored with 1 added: the frame is initially zero.
    return words[index] == 0 ? nil : words[index] - 1
  }

  func setCapacity(_ index: Int, _ count: Int) {
    (frame + plan.frame.capacities).assumingMemoryBound(to: Int.self)[index] = count + 1
  }

  /// Returns the current count of a counted parameter.
  func count(of slot: Slot) -> Int? { slot.pointee.statedCount ?? number(slot.pointee.count) }

  /// Returns the number in a slot; `nil` without one, and if it is beyond an Int.
  func number(_ index: Int?) -> Int? {
    guard let index else { return nil }
    let count = plan.slots + index
    return count.pointee.parameter.type.scalar?.integer(at: frame + (count.pointee.cell ?? count.pointee.offset))
  }
}
