import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_all(_ promises: UnsafePointer<OpaquePointer?>?, _ count: Int, _ flags: UInt32) -> OpaquePointer? {
  unsafe gathered(promises, count, flags, .all, fulfilledWithValues)
}

@c @implementation
public func promise_all_settled(_ promises: UnsafePointer<OpaquePointer?>?, _ count: Int, _ flags: UInt32)
  -> OpaquePointer?
{
  unsafe gathered(promises, count, flags, .allSettled, fulfilledWithOutcomes)
}

@c @implementation
public func promise_any(_ promises: UnsafePointer<OpaquePointer?>?, _ count: Int, _ flags: UInt32) -> OpaquePointer? {
  unsafe gathered(promises, count, flags, .any) { entries, _, out in
    _ = unsafe fulfilledWithValues(entries, 0, &out)
    return .rejected
  }
}

@c @implementation
public func promise_race(_ promises: UnsafePointer<OpaquePointer?>?, _ count: Int, _ flags: UInt32) -> OpaquePointer? {
  unsafe gathered(promises, count, flags, .race) { _, _, out in
    out = CellValue(kind: .discarded)
    return .rejected
  }
}

/// Checks the arguments, and makes the gather.
private func gathered(
  _ promises: UnsafePointer<OpaquePointer?>?, _ count: Int, _ flags: UInt32, _ mode: Gather.Mode,
  _ combine: @escaping Gather.Combine
) -> OpaquePointer? {
  let known = UInt32(PROMISE_COMBINE_CANCEL_OTHERS)
  guard unsafe isArrayCount(count, of: OpaquePointer.self), unsafe promises != nil || count == 0, flags & ~known == 0
  else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  guard count < Gather.inputLimit else { return unsafe made(nil) }
  for index in 0..<count {
    let promise = unsafe promises.unsafelyUnwrapped[index]
    guard unsafe resolve(promise) != nil else { return unsafe fail(refusal(promise)) }
  }
  let input = { (index: Int) in unsafe resolve(promises.unsafelyUnwrapped[index]).unsafelyUnwrapped }
  let promise = unsafe Gather.promise(
    of: input, count: count, mode, cancelsOthers: flags & known != 0, combine: combine)
  return unsafe made(promise)
}

/// Makes an ARRAY of the inputs' values.
private func fulfilledWithValues(
  _ entries: UnsafeBufferPointer<Gather.Entry>, _ last: Int, _ out: inout CellValue
) -> Outcome {
  unsafe array(entries, &out) { entry in
    entry.value.retain() ? entry.value : nil
  }
}

/// Makes an ARRAY of MAPs: the state of each input, with its value or reason.
private func fulfilledWithOutcomes(
  _ entries: UnsafeBufferPointer<Gather.Entry>, _ last: Int, _ out: inout CellValue
) -> Outcome {
  guard let keys = OutcomeKeys() else { return outOfMemory(&out) }
  defer { keys.release() }
  return unsafe array(entries, &out) { entry in
    guard let map = ValueBuilder(.map, capacity: 2) else { return nil }
    let state = entry.isRejected ? PROMISE_REJECTED : PROMISE_FULFILLED
    let isWhole =
      keys.state.retain() && map.set(keys.state, CellValue(kind: .i64, bits: UInt64(state))) == nil
      && entry.value.retain() && set(entry.isRejected ? keys.reason : keys.value, entry.value, in: map)
    guard isWhole else {
      map.ref.release()
      return nil
    }
    return map.finish()
  }
}

/// Adds an entry to the map. Takes over the value.
private func set(_ key: CellValue, _ value: CellValue, in map: ValueBuilder) -> Bool {
  guard key.retain() else {
    value.release()
    return false
  }
  return map.set(key, value) == nil
}

private func array(
  _ entries: UnsafeBufferPointer<Gather.Entry>, _ out: inout CellValue, _ element: (Gather.Entry) -> CellValue?
) -> Outcome {
  guard let builder = ValueBuilder(.array, capacity: entries.count) else { return outOfMemory(&out) }
  for index in 0..<entries.count {
    guard let element = unsafe element(entries[index]), builder.add(element) == nil else {
      builder.ref.release()
      return outOfMemory(&out)
    }
  }
  guard let array = builder.finish() else { return outOfMemory(&out) }
  out = array
  return .fulfilled
}

private func outOfMemory(_ out: inout CellValue) -> Outcome {
  out = Fault.outOfMemory.value
  return .rejected
}

/// The keys of the outcome maps, shared by all maps of a call.
private struct OutcomeKeys {
  let state: CellValue
  let value: CellValue
  let reason: CellValue

  init?() {
    let texts = (OutcomeKeys.text("state"), OutcomeKeys.text("value"), OutcomeKeys.text("reason"))
    guard let state = texts.0, let value = texts.1, let reason = texts.2 else {
      texts.0?.release()
      texts.1?.release()
      texts.2?.release()
      return nil
    }
    (self.state, self.value, self.reason) = (state, value, reason)
  }

  func release() {
    state.release()
    value.release()
    reason.release()
  }

  private static func text(_ text: StaticString) -> CellValue? {
    unsafe Box.bytes(.string, UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
