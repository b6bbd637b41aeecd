import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_publisher_flat_map(
  _ source: OpaquePointer?, _ strategy: promise_flatten_t, _ inner: promise_inner_t?, _ ctx: UnsafeMutableRawPointer?,
  _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  let context = unsafe Context(ctx, free_ctx)
  guard let found = unsafe resolvePublisher(source) else { return unsafe fail(refusal(source), context) }
  let kind: FlatteningKind
  switch strategy {
  case promise_flatten_t(PROMISE_FLATTEN_MERGE): kind = .merge
  case promise_flatten_t(PROMISE_FLATTEN_CONCAT): kind = .concat
  case promise_flatten_t(PROMISE_FLATTEN_LATEST): kind = .latest
  default: return unsafe fail(promise_status_t(PROMISE_EINVAL), context)
  }
  guard let inner = unsafe inner else { return unsafe fail(promise_status_t(PROMISE_EINVAL), context) }
  let function = unsafe unsafeBitCast(inner, to: InnerStreams.Function.self)
  return unsafe made(found.flattened(kind, .function(function, context))?.ref)
}

@c @implementation
public func promise_publisher_retry(
  _ count: UInt64, _ attempt: promise_inner_t?, _ ctx: UnsafeMutableRawPointer?, _ free_ctx: promise_free_t?
) -> OpaquePointer? {
  let context = unsafe Context(ctx, free_ctx)
  guard let attempt = unsafe attempt else { return unsafe fail(promise_status_t(PROMISE_EINVAL), context) }
  let function = unsafe unsafeBitCast(attempt, to: InnerStreams.Function.self)
  return unsafe made(CellPublisher.retried(count, ending: .finished, .function(function, context))?.ref)
}
