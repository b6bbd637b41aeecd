import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

// The conventions of the boundary. A function of the ABI resolves its handles, checks its values, calls the engine, and
// returns a status. include/promise.h is the reference: its documentation is not repeated here.

/// Returns a handle's token; 0 for NULL.
@inline(__always)
func token(_ handle: OpaquePointer?) -> Token {
  Token(bits: UInt64(UInt(bitPattern: handle)))
}

/// Returns the cell of a handle; nil if the handle is NULL, stale or of another kind.
@inline(__always)
func resolve(_ handle: OpaquePointer?, _ kind: CellKind = .promise) -> CellRef? {
  unsafe token(handle).cell(kind)
}

/// Returns the status for a handle that did not resolve.
func refusal(_ handle: OpaquePointer?) -> promise_status_t {
  unsafe handle == nil ? promise_status_t(PROMISE_EINVAL) : promise_status_t(PROMISE_ESTALE)
}

/// Returns the status of a call that takes another handle.
func status(_ retain: HandleRetain) -> promise_status_t {
  switch retain {
  case .retained: promise_status_t(PROMISE_OK)
  case .outOfRange: promise_status_t(PROMISE_ENOMEM)
  // Another thread has released the last handle since the object was resolved.
  case .stale: promise_status_t(PROMISE_ESTALE)
  }
}

/// Returns the handle of a reference.
@inline(__always)
func handle(_ ref: CellRef) -> OpaquePointer? {
  unsafe OpaquePointer(bitPattern: UInt(ref.token.bits))
}

/// Fails a call that returns a pointer: frees the context, records the status for promise_last_status(), returns NULL.
@inline(never)
func fail(_ status: promise_status_t, _ context: Context = unsafe Context(nil, nil)) -> OpaquePointer? {
  // The status comes last: `free_ctx` may make calls that fail, or read the status.
  context.release()
  unsafe platform_thread().pointee.last_status = status
  return nil
}

/// Returns the handle of a new object; nil means out of memory, and fails the call.
@inline(__always)
func made(_ ref: CellRef?) -> OpaquePointer? {
  guard let ref else { return unsafe fail(promise_status_t(PROMISE_ENOMEM)) }
  return unsafe handle(ref)
}

/// Returns the handle of a new object whose token is known; nil fails the call as above.
@inline(__always)
func made(new: NewCell?) -> OpaquePointer? {
  guard let new else { return unsafe fail(promise_status_t(PROMISE_ENOMEM)) }
  return unsafe OpaquePointer(bitPattern: UInt(new.token.bits))
}

/// Converts a handler to the engine's type: the same function, with untyped pointers to values.
@inline(__always)
func engineHandler(_ handler: promise_handler_t) -> Handler {
  unsafe unsafeBitCast(handler, to: Handler.self)
}

extension CellValue {
  /// Reads a value that the caller passed.
  @inline(__always)
  init(_ value: UnsafePointer<promise_value_t>) {
    self = unsafe UnsafeRawPointer(value).loadUnaligned(as: CellValue.self)
  }

  @inline(__always)
  func store(_ out: UnsafeMutablePointer<promise_value_t>) {
    unsafe UnsafeMutableRawPointer(out).storeBytes(of: self, as: CellValue.self)
  }
}
