import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_set_hooks(_ hooks: UnsafePointer<promise_hooks_t>?) -> promise_status_t {
  guard let hooks = unsafe hooks else {
    _ = unsafe Hooks.replace(nil, Context(nil, nil))
    return promise_status_t(PROMISE_OK)
  }
  // The first version had all of today's fields: a smaller struct is garbage, its context included.
  guard unsafe hooks.pointee.size >= UInt32(MemoryLayout<promise_hooks_t>.size) else {
    return promise_status_t(PROMISE_EINVAL)
  }
  let known = unsafe hooks.pointee
  let context = unsafe Context(known.ctx, known.free_ctx)
  var engine = Hooks()
  unsafe engine.unhandledRejection = unsafe unsafeBitCast(
    known.unhandled_rejection, to: Hooks.UnhandledRejection?.self)
  unsafe engine.secondSettlement = unsafe unsafeBitCast(known.settled_again, to: Hooks.SecondSettlement?.self)
  unsafe engine.lostPromise = unsafe known.dropped_pending
  guard unsafe known.reserved == 0, !engine.isEmpty,
    unsafe isUnused(hooks, from: MemoryLayout<promise_hooks_t>.size, to: known.size)
  else {
    context.release()
    return promise_status_t(PROMISE_EINVAL)
  }
  return promise_status_t(Hooks.replace(engine, context) ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_dump_lines(
  _ line: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>, Int) -> Void)?,
  _ ctx: UnsafeMutableRawPointer?
) -> promise_status_t {
  guard let line = unsafe line else { return promise_status_t(PROMISE_EINVAL) }
  let isDone = unsafe Dump.write { text in
    unsafe line(ctx, text.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self), text.count)
  }
  return promise_status_t(isDone ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_dump(_ descriptor: Int32) -> promise_status_t {
  var output = DescriptorOutput(descriptor)
  let isDone = unsafe Dump.write { unsafe output.write(line: $0) }
  let ending = output.finish()
  return isDone ? status(ending) : promise_status_t(PROMISE_ENOMEM)
}

@c @implementation
public func promise_trace_start(_ trace: UnsafePointer<promise_trace_t>?) -> promise_status_t {
  guard let trace = unsafe trace, unsafe trace.pointee.size >= UInt32(MemoryLayout<promise_trace_t>.size) else {
    return promise_status_t(PROMISE_EINVAL)
  }
  let known = unsafe trace.pointee
  let context = unsafe Context(known.ctx, known.free_ctx)
  guard unsafe known.reserved == 0, unsafe known.capacity > 0 || known.event != nil,
    unsafe isUnused(trace, from: MemoryLayout<promise_trace_t>.size, to: known.size)
  else {
    context.release()
    return promise_status_t(PROMISE_EINVAL)
  }
  let function = unsafe unsafeBitCast(known.event, to: Trace.Function?.self)
  let isStarted = unsafe Trace.start(capacity: Int(clamping: known.capacity), function, context)
  return promise_status_t(isStarted ? PROMISE_OK : PROMISE_ENOMEM)
}

@c @implementation
public func promise_trace_stop() -> promise_status_t {
  Trace.stop()
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_trace_write(_ descriptor: Int32, _ format: promise_trace_format_t) -> promise_status_t {
  guard let format = TraceFormat(rawValue: format) else { return promise_status_t(PROMISE_EINVAL) }
  return status(Trace.write(descriptor, format))
}

private func status(_ ending: DescriptorOutput.Ending) -> promise_status_t {
  switch ending {
  case .written: promise_status_t(PROMISE_OK)
  case .descriptorFailed: promise_status_t(PROMISE_EINVAL)
  case .outOfMemory: promise_status_t(PROMISE_ENOMEM)
  }
}
