import CPlatform
import CPromise

#if !hasFeature(Embedded)
import Promises
#endif

// The conventions of the boundary, once. A function of the ABI resolves its handles, checks its values, calls the
// engine, and answers with a status. What is documented in the header is not repeated here: include/promise.h is the
// reference.

/// A handle's token; 0 for NULL.
@inline(__always)
func token(_ handle: OpaquePointer?) -> Token {
  Token(bits: UInt64(UInt(bitPattern: handle)))
}

/// The cell that a handle means, if it means one of that kind.
@inline(__always)
func resolve(_ handle: OpaquePointer?, _ kind: CellKind = .promise) -> CellRef? {
  unsafe token(handle).cell(kind)
}

/// Why a handle did not resolve.
func refusal(_ handle: OpaquePointer?) -> promise_status_t {
  unsafe handle == nil ? promise_status_t(PROMISE_EINVAL) : promise_status_t(PROMISE_ESTALE)
}

/// A reference as a handle.
@inline(__always)
func handle(_ ref: CellRef) -> OpaquePointer? {
  unsafe OpaquePointer(bitPattern: UInt(ref.token.bits))
}

/// Ends a call that returns a pointer: notes the status for promise_last_status(), frees the context, returns NULL.
@inline(never)
func fail(_ status: promise_status_t, _ context: Context = unsafe Context(nil, nil)) -> OpaquePointer? {
  unsafe platform_thread().pointee.last_status = status
  context.release()
  return nil
}

/// Answers a call that makes something: its handle, or NULL for want of memory.
@inline(__always)
func made(_ ref: CellRef?) -> OpaquePointer? {
  guard let ref else { return unsafe fail(promise_status_t(PROMISE_ENOMEM)) }
  return unsafe handle(ref)
}

/// A handler as the engine calls it: the same function, with untyped pointers to values.
@inline(__always)
func engineHandler(_ handler: promise_handler_t) -> Handler {
  unsafe unsafeBitCast(handler, to: Handler.self)
}

extension CellValue {
  /// What the caller passed.
  @inline(__always)
  init(_ value: UnsafePointer<promise_value_t>) {
    self = unsafe UnsafeRawPointer(value).loadUnaligned(as: CellValue.self)
  }

  @inline(__always)
  func store(_ out: UnsafeMutablePointer<promise_value_t>) {
    unsafe UnsafeMutableRawPointer(out).storeBytes(of: self, as: CellValue.self)
  }
}
