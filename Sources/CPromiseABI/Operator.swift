import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_publisher_transform(
  _ source: OpaquePointer?, _ transform: UnsafePointer<promise_transform_t>?
) -> OpaquePointer? {
  // The first version had all of today's fields: a smaller struct is garbage, its context included.
  let size = unsafe MemoryLayout<promise_transform_t>.size
  guard let transform = unsafe transform, unsafe transform.pointee.size >= UInt32(size) else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  let known = unsafe transform.pointee
  let context = unsafe Context(known.ctx, known.free_ctx)
  guard let found = unsafe resolvePublisher(source) else { return unsafe fail(refusal(source), context) }
  guard unsafe known.reserved == 0, unsafe isUnused(transform, from: size, to: known.size) else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL), context)
  }
  let functions = unsafe Transform(
    onValue: known.on_value.map(engineHandler), onError: known.on_error.map(engineHandler),
    onEnd: known.on_end.map(engineHandler), context)
  return unsafe made(found.derived(by: .transform(functions))?.ref)
}

@c @implementation
public func promise_publisher_distinct(_ source: OpaquePointer?, _ flags: UInt32) -> OpaquePointer? {
  guard let found = unsafe resolvePublisher(source) else { return unsafe fail(refusal(source)) }
  guard flags & ~UInt32(PROMISE_DISTINCT_ERRORS) == 0 else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  return unsafe made(found.derived(by: .distinct(Distinct(includesErrors: flags != 0)), isStateful: true)?.ref)
}

@c @implementation
public func promise_publisher_window(_ source: OpaquePointer?, _ count: Int) -> OpaquePointer? {
  guard let found = unsafe resolvePublisher(source) else { return unsafe fail(refusal(source)) }
  guard count != 0, unsafe isArrayCount(count, of: promise_value_t.self) else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  guard let window = Window(size: count) else { return unsafe made(nil) }
  return unsafe made(found.derived(by: .window(window))?.ref)
}

@c @implementation
public func promise_publisher_buffer(_ source: OpaquePointer?, _ count: Int) -> OpaquePointer? {
  guard let found = unsafe resolvePublisher(source) else { return unsafe fail(refusal(source)) }
  guard count != 0, unsafe isArrayCount(count, of: promise_value_t.self) else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  return unsafe made(found.derived(by: .group(Grouping(size: count)))?.ref)
}

@c @implementation
public func promise_publisher_scan(
  _ source: OpaquePointer?, _ initial: UnsafePointer<promise_value_t>?, _ fold: promise_fold_t?,
  _ ctx: UnsafeMutableRawPointer?, _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  unsafe folded(source, initial, fold, Context(ctx, free_ctx), isRunning: true)
}

@c @implementation
public func promise_publisher_reduce(
  _ source: OpaquePointer?, _ initial: UnsafePointer<promise_value_t>?, _ fold: promise_fold_t?,
  _ ctx: UnsafeMutableRawPointer?, _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  unsafe folded(source, initial, fold, Context(ctx, free_ctx), isRunning: false)
}

private func folded(
  _ source: OpaquePointer?, _ initial: UnsafePointer<promise_value_t>?, _ fold: promise_fold_t?, _ context: Context,
  isRunning: Bool
) -> OpaquePointer? {
  let taken = unsafe initial.flatMap(take)
  guard let found = unsafe resolvePublisher(source) else {
    taken?.release()
    return unsafe fail(refusal(source), context)
  }
  guard let taken, let fold = unsafe fold else {
    taken?.release()
    return unsafe fail(promise_status_t(PROMISE_EINVAL), context)
  }
  let function = unsafe unsafeBitCast(fold, to: Fold.Function.self)
  return unsafe made(found.derived(by: .fold(Fold(function, taken, context, isRunning: isRunning)))?.ref)
}

@c @implementation
public func promise_publisher_take(_ source: OpaquePointer?, _ count: UInt64) -> OpaquePointer? {
  guard let found = unsafe resolvePublisher(source) else { return unsafe fail(refusal(source)) }
  guard count > 0 else { return unsafe fail(promise_status_t(PROMISE_EINVAL)) }
  return unsafe made(found.derived(by: .take(count))?.ref)
}

@c @implementation
public func promise_publisher_stateful(_ source: OpaquePointer?) -> OpaquePointer? {
  guard let found = unsafe resolvePublisher(source) else { return unsafe fail(refusal(source)) }
  return unsafe made(found.derived(by: .pass, isStateful: true)?.ref)
}

@c @implementation
public func promise_publisher_replay(_ source: OpaquePointer?, _ count: Int) -> OpaquePointer? {
  guard let found = unsafe resolvePublisher(source) else { return unsafe fail(refusal(source)) }
  guard count != 0, unsafe isArrayCount(count, of: promise_value_t.self) else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  return unsafe made(found.derived(by: .pass, isStateful: true, historyLimit: count)?.ref)
}

@c @implementation
public func promise_publisher_start_with(_ source: OpaquePointer?, _ value: UnsafePointer<promise_value_t>?)
  -> OpaquePointer?
{
  guard let value = unsafe value, let first = unsafe take(value) else {
    return unsafe fail(
      resolvePublisher(source) == nil ? refusal(source) : promise_status_t(PROMISE_EINVAL))
  }
  guard let found = unsafe resolvePublisher(source) else {
    first.release()
    return unsafe fail(refusal(source))
  }
  return unsafe made(found.derived(by: .pass, first: StreamEvent(first, .fulfilled))?.ref)
}

@c @implementation
public func promise_publisher_merge(_ sources: UnsafePointer<OpaquePointer?>?, _ count: Int) -> OpaquePointer? {
  unsafe joined(sources, count, .merge)
}

@c @implementation
public func promise_publisher_combine_latest(_ sources: UnsafePointer<OpaquePointer?>?, _ count: Int) -> OpaquePointer?
{
  unsafe joined(sources, count, .combine)
}

@c @implementation
public func promise_publisher_zip(_ sources: UnsafePointer<OpaquePointer?>?, _ count: Int) -> OpaquePointer? {
  unsafe joined(sources, count, .zip)
}

private func joined(_ sources: UnsafePointer<OpaquePointer?>?, _ count: Int, _ kind: JoinKind) -> OpaquePointer? {
  guard unsafe isArrayCount(count, of: OpaquePointer.self), unsafe sources != nil || count == 0 else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  for index in 0..<count {
    let source = unsafe sources.unsafelyUnwrapped[index]
    guard unsafe resolvePublisher(source) != nil else { return unsafe fail(refusal(source)) }
  }
  // Passed as an argument, the closure takes no memory. In a variable it might, without a check for failure.
  let joined = CellPublisher.joined(
    { unsafe resolvePublisher(sources.unsafelyUnwrapped[$0]).unsafelyUnwrapped }, count: count, kind)
  return unsafe made(joined?.ref)
}

@c @implementation
public func promise_publisher_of(_ promise: OpaquePointer?) -> OpaquePointer? {
  guard let cell = unsafe resolve(promise) else { return unsafe fail(refusal(promise)) }
  return unsafe made(CellPublisher.of(cell)?.ref)
}

@c @implementation
public func promise_publisher_forward(_ source: OpaquePointer?, _ target: OpaquePointer?, _ flags: UInt32)
  -> OpaquePointer?
{
  guard let found = unsafe resolvePublisher(source) else { return unsafe fail(refusal(source)) }
  guard let other = unsafe resolvePublisher(target) else { return unsafe fail(refusal(target)) }
  guard flags & ~UInt32(PROMISE_FORWARD_END) == 0, found != other, !other.isDerived else {
    return unsafe fail(promise_status_t(PROMISE_EINVAL))
  }
  return unsafe made(found.forward(to: other, flags != 0 ? .endsTarget : .ignored)?.ref)
}
