import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

@c @implementation
public func promise_statistics(_ statistics: UnsafeMutablePointer<promise_statistics_t>?) -> promise_status_t {
  let known = MemoryLayout<promise_statistics_t>.size
  guard let statistics = unsafe statistics, case let size = unsafe Int(statistics.pointee.size), known...4096 ~= size
  else { return promise_status_t(PROMISE_EINVAL) }
  let now = Statistics.now
  let fields = promise_statistics_t(
    size: UInt32(size), threads: now.threads, promises_pending: now.pending, promises_settled: now.settled,
    callbacks: now.callbacks, values: now.values, executors: now.executors, jobs: now.jobs, tokens: now.tokens,
    gathers: now.gathers, loops: now.loops, publishers: now.publishers, subscribers: now.subscribers,
    queues: now.queues, types: now.types, internals: now.internals, bytes_resident: now.resident,
    bytes_reusable: now.reusable)
  unsafe statistics.pointee = fields
  unsafe (UnsafeMutableRawPointer(statistics) + known).initializeMemory(
    as: UInt8.self, repeating: 0, count: size - known)
  return promise_status_t(PROMISE_OK)
}

@c @implementation
public func promise_trim() -> Int64 { Int64(Slab.trim()) }

@c @implementation
public func promise_set_thread_hooks(
  _ start: promise_callback_t?, _ stop: promise_callback_t?, _ ctx: UnsafeMutableRawPointer?,
  _ free_ctx: promise_free_t?
) -> promise_status_t {
  promise_status_t(unsafe ThreadHooks.set(start, stop, Context(ctx, free_ctx)) ? PROMISE_OK : PROMISE_ENOMEM)
}
