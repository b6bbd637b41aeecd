import CPluginEdge
import CPromise
import Glibc

extension GeneralCall {
  /// Converts the function's outputs to the call's value or reason.
  func conclude(into result: UnsafeMutablePointer<promise_value_t>) -> CallOutcome {
    plugin_activity_read_results(plan.subject)
    defer { plugin_activity_read_results(nil) }
    if plan.fails {
      let status = (frame + plan.frame.returned).load(as: promise_status_t.self)
      let error = (frame + plan.frame.error).assumingMemoryBound(to: promise_value_t.self)
      if status < 0 { return CallPlan.reject(status, error, into: result) }
      // An error is ignored on success, but may own memory.
      _ = promise_value_release(error)
    }
    // Read before outputs are freed: the library's text is valid until its next call, and freeing may be such a call.
    let failure = failure
    var outputs: [PluginMember] = []
    do throws(ArgumentMismatch) {
      if plan.hasOutputs { outputs = try loadOutputs(hasFailed: failure != nil) }
    } catch {
      discardResult()
      return .fault(.badOutput(error))
    }
    if let failure {
      // No destructor takes the address -1.
      if plan.rule != .errno { discardResult() }
      return reject(failure, outputs, into: result)
    }
    if plan.completes {
      // The C result is no longer needed: a callback settles the promise.
      discardResult()
      result.pointee = promise_value_t()
      result.pointee.kind = promise_kind_t(PROMISE_KIND_VOID)
      return .fulfilled
    }
    return fulfil(outputs, into: result)
  }

  private func fulfil(_ outputs: [PluginMember], into result: UnsafeMutablePointer<promise_value_t>) -> CallOutcome {
    do throws(ArgumentMismatch) {
      if plan.hasOutputs { return try fulfilWithObject(outputs, into: result) }
      switch plan.yield {
      case .nothing:
        result.pointee = promise_value_t()
        result.pointee.kind = promise_kind_t(PROMISE_KIND_VOID)
      case .filled:
        result.pointee = try converting("result") { () throws(ArgumentMismatch) in try checked(resultMemory).pointee }
      case .word(let abiType):
        return ResultLoad.load(abiType, from: resultMemory, into: result).map { .fault($0) } ?? .fulfilled
      case .loaded(let plan):
        let value = try converting("result") { () throws(ArgumentMismatch) in try loadResult(plan) }
        result.pointee = try plan.abi(value)
      }
      return .fulfilled
    } catch {
      return .fault(.badOutput(error))
    }
  }

  private func fulfilWithObject(
    _ outputs: [PluginMember], into result: UnsafeMutablePointer<promise_value_t>
  ) throws(ArgumentMismatch) -> CallOutcome {
    var members = outputs
    let value = try converting("result") { () throws(ArgumentMismatch) -> PluginValue? in
      switch plan.yield {
      case .nothing: nil
      case .filled: try take(resultMemory)
      case .word, .loaded: try plan.result.map { (plan) throws(ArgumentMismatch) in try loadResult(plan) }
      }
    }
    if let value { members.insert(PluginMember("result", value), at: 0) }
    guard let object = ValueConversion.wrap(.object(members)) else { return .fault(.noMemory) }
    result.pointee = object
    return .fulfilled
  }

  private func loadResult(_ result: TypePlan) throws(ArgumentMismatch) -> PluginValue {
    guard let count = plan.resultCount else { return try result.load(resultMemory, from: objects) }
    return try loadReturned(result, resultMemory, count)
  }

  /// Loads, as a span, memory that the function returns and that another parameter counts.
  private func loadReturned(
    _ plan: TypePlan, _ memory: UnsafeRawPointer, _ count: Int?
  ) throws(ArgumentMismatch) -> PluginValue {
    var number = countOfResult
    if let count {
      let slot = self.plan.slots + count
      number = slot.pointee.parameter.type.scalar?.integer(at: frame + (slot.pointee.cell ?? slot.pointee.offset))
    }
    let span = (memory.load(as: UInt.self), UInt(bitPattern: number ?? -1))
    return try withUnsafePointer(to: span) { (span) throws(ArgumentMismatch) in
      try plan.load(UnsafeRawPointer(span), from: objects)
    }
  }

  private var resultMemory: UnsafeMutableRawPointer {
    frame + (plan.isResultFilled ? plan.frame.result : plan.frame.returned)
  }

  /// Checks a promise_value_t that the function stored.
  ///
  /// - Throws: `ArgumentMismatch` if it is not well-formed. Its content cannot be released then.
  private func checked(
    _ memory: UnsafeMutableRawPointer
  ) throws(ArgumentMismatch) -> UnsafeMutablePointer<promise_value_t> {
    let value = memory.assumingMemoryBound(to: promise_value_t.self)
    guard promise_value_retain(value) == PROMISE_OK else {
      throw ArgumentMismatch(message: "is not a well-formed promise_value_t")
    }
    var reference = value.pointee
    promise_value_release(&reference)
    return value
  }

  /// Converts a promise_value_t that the function stored, and releases it.
  private func take(_ memory: UnsafeMutableRawPointer) throws(ArgumentMismatch) -> PluginValue {
    let value = try checked(memory)
    defer { promise_value_release(value) }
    return try PluginValue(value)
  }

  /// Loads the out parameters. All are loaded even after a mismatch, so that owned memory is freed. A function that has
  /// failed may not have written its outputs, or only a required size: they do not hide its failure.
  private func loadOutputs(hasFailed: Bool) throws(ArgumentMismatch) -> [PluginMember] {
    var members: [PluginMember] = []
    var mismatch: ArgumentMismatch?
    for index in 0..<plan.slotCount {
      let slot = plan.slots + index
      guard slot.pointee.isReturned else { continue }
      let name = slot.pointee.parameter.name
      if hasFailed, slot.pointee.parameter.allocatedSize != nil {
        dropMemory(slot)
        continue
      }
      do throws(ArgumentMismatch) {
        let value = try converting(name) { () throws(ArgumentMismatch) in try load(slot, index) }
        members.append(PluginMember(name, value))
      } catch {
        mismatch = mismatch ?? error
      }
    }
    if let mismatch, !hasFailed { throw mismatch }
    return members
  }

  private func load(_ slot: Slot, _ index: Int) throws(ArgumentMismatch) -> PluginValue {
    if slot.pointee.parameter.allocatedSize != nil {
      return try slot.pointee.plan.load(frame + slot.pointee.offset, from: objects)
    }
    if let cursor = slot.pointee.cursor { return try loadCursor(slot, frame + cursor, capacity: capacity(index) ?? 0) }
    guard let cell = slot.pointee.cell else { return try loadElements(slot, capacity: capacity(index) ?? 0) }
    if slot.pointee.parameter.type.returnedCountName != nil {
      return try loadReturned(slot.pointee.plan, frame + cell, slot.pointee.returnedCount)
    }
    return Signature.isGivenByAddress(slot.pointee.parameter.type)
      ? try take(frame + cell) : try slot.pointee.plan.load(frame + cell, from: objects)
  }

  /// Frees the memory of an object that the function failed to make, without a destructor. Memory that the library may
  /// keep is not freed.
  private func dropMemory(_ slot: Slot) {
    guard case .object = slot.pointee.plan.form else { return }
    HostMemory.free((frame + slot.pointee.offset).load(as: UnsafeMutableRawPointer?.self))
  }

  /// Loads the elements that the function wrote into the memory provided for them.
  private func loadElements(_ slot: Slot, capacity: Int) throws(ArgumentMismatch) -> PluginValue {
    let parameter = slot.pointee.parameter
    guard let data = (frame + slot.pointee.offset).load(as: UnsafeMutableRawPointer?.self) else { return .void }
    let isCountedByResult = plan.signature.countedByResult == parameter.name
    let counter = slot.pointee.written ?? slot.pointee.count
    let written = isCountedByResult ? countOfResult : counter == nil ? capacity : number(counter)
    guard let count = written, count >= 0, count <= capacity else {
      let said = written.map(String.init) ?? "too many"
      throw ArgumentMismatch(
        message: "has \(said) elements, expected at most \(capacity), which is the capacity that it was given")
    }
    guard case .str = parameter.type.content, !isCountedByResult else { return try elements(slot, data, count) }
    let text = UnsafeRawBufferPointer(start: data, count: count)
    let isCounted = counter.map { plan.slots[$0].parameter.direction != .input } ?? false
    // Some functions count the NUL that ends the text, and some leave the count as it was.
    let length = isCounted ? text.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0 : text.firstIndex(of: 0) ?? count
    return try elements(slot, data, length)
  }

  /// Loads elements whose address the function has moved: those that it wrote, or the rest, which it has not read.
  private func loadCursor(
    _ slot: Slot, _ cursor: UnsafeRawPointer, capacity: Int
  ) throws(ArgumentMismatch) -> PluginValue {
    let (end, start) = cursor.load(as: (UInt, UInt).self)
    let size = slot.pointee.elementSize
    // NULL stands for the end, as does the address behind the 0 that ends elements.
    var distance = end == 0 ? capacity * size : Int(bitPattern: end &- start)
    if slot.pointee.parameter.type.isUncounted, distance == (capacity + 1) * size { distance = capacity * size }
    guard let data = UnsafeRawPointer(bitPattern: start), (0...capacity * size).contains(distance), distance % size == 0
    else {
      throw ArgumentMismatch(message: "was moved by \(distance) bytes, expected at most its \(capacity) elements")
    }
    let count = distance / size
    guard slot.pointee.parameter.direction == .input else { return try elements(slot, data, count) }
    return try elements(slot, data + distance, capacity - count)
  }

  private func elements(
    _ slot: Slot, _ data: UnsafeRawPointer, _ count: Int
  ) throws(ArgumentMismatch) -> PluginValue {
    let bytes = UnsafeRawBufferPointer(start: data, count: count)
    switch slot.pointee.parameter.type.content {
    case .slice: return try slot.pointee.plan.element?.load(data, count: count) ?? .void
    case .str:
      guard let text = String(copying: bytes) else { throw TypePlan.notUTF8 }
      return .string(text)
    default: return .bytes([UInt8](bytes))
    }
  }

  /// The count in the result; a negative one is a failure, for which no elements were written.
  private var countOfResult: Int? {
    guard let returned = plan.signature.returned else { return nil }
    return returned.scalar?.integer(at: resultMemory).map { max($0, 0) }
  }

  private func discardResult() {
    if plan.isResultValue {
      promise_value_release(resultMemory.assumingMemoryBound(to: promise_value_t.self))
    } else {
      plan.result?.discard(resultMemory)
    }
  }
}
