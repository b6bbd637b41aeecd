import CPromise
import Promises

/// Converts promises of `PluginValue` to arguments, whose promises hold values of C.
enum PromiseBridge {
  /// Returns a promise that follows `promise`, with its value converted to C for the type (`nil`: void). A value that
  /// does not fit rejects it. `plan` is that of the type, for arrays and objects. The caller owns the reference. `nil`
  /// if memory has run out.
  static func abi(_ promise: Promise<PluginValue>, of type: ValueType?, _ plan: TypePlan?) -> OpaquePointer? {
    guard let handle = promise_new() else { return nil }
    if let value = promise.value {
      fulfil(handle, with: value, of: type, plan)
      return handle
    }
    settle(handle, as: promise, of: type, plan)
    return handle
  }

  /// Returns a promise that follows `promise`, as `abi` does, and passes discards and requests to cancel to it.
  static func discardable(_ promise: Promise<PluginValue>, of type: ValueType?) -> OpaquePointer? {
    let plan = type.flatMap(TypePlan.ofElements)
    let context = Unmanaged.passRetained(promise).toOpaque()
    let handle = promise_new_discardable(
      { Unmanaged<Promise<PluginValue>>.fromOpaque($0!).takeUnretainedValue().discard() }, context,
      { Unmanaged<Promise<PluginValue>>.fromOpaque($0!).release() })
    guard let handle else { return nil }
    promise_on_cancel_request(
      handle,
      { promise, _ in
        Unmanaged<Promise<PluginValue>>.fromOpaque(promise!).takeUnretainedValue().future.requestCancel()
      },
      Unmanaged.passRetained(promise).toOpaque(), { Unmanaged<Promise<PluginValue>>.fromOpaque($0!).release() })
    settle(handle, as: promise, of: type, plan)
    return handle
  }

  /// Returns a promise that follows `promise` and is rejected if the value does not have the type (`nil`: void). The
  /// caller owns the reference. `nil` if the promise is stale, or if memory has run out.
  static func checked(_ promise: OpaquePointer?, of type: ValueType?, _ plan: TypePlan?) -> OpaquePointer? {
    promise_then(
      promise,
      { context, value, out in
        let expected = Unmanaged<Expectation>.fromOpaque(context!).takeUnretainedValue()
        guard value.pointee.suits(expected.type, expected.plan) else {
          out.pointee = promise_value_t(reason: PromiseBridge.mismatch(value.pointee.nameOfContent, expected.type))
          return promise_verdict_t(PROMISE_REJECT)
        }
        guard promise_value_retain(value) == PROMISE_OK else {
          out.pointee = .tooManyReferences
          return promise_verdict_t(PROMISE_REJECT)
        }
        out.pointee = value.pointee
        return promise_verdict_t(PROMISE_FULFILL)
      }, Unmanaged.passRetained(Expectation(type, plan)).toOpaque(),
      { Unmanaged<Expectation>.fromOpaque($0!).release() })
  }

  /// Converts a value to C for the type.
  private static func converted(
    _ value: PluginValue, _ type: ValueType?, _ plan: TypePlan?
  ) throws(ArgumentMismatch) -> promise_value_t {
    if let plan { return try plan.abi(value) }
    if case .pointer(let pointer) = value, pointer.isOwned, type != .value {
      throw ArgumentMismatch(message: "is a \(pointer.name) that the host owns, which a promise of C cannot keep")
    }
    guard let converted = promise_value_t(value) else { throw CallArena.noMemory }
    return converted
  }

  private final class Expectation {
    let type: ValueType?
    let plan: TypePlan?
    init(_ type: ValueType?, _ plan: TypePlan?) { (self.type, self.plan) = (type, plan) }
  }

  private static func mismatch(_ name: String, _ type: ValueType?) -> PromiseError {
    PromiseError(
      domain: "promise", code: Int64(PROMISE_EINVAL),
      message: "the promise was fulfilled with \(name), expected a value for a \(ValueType.promise(type))")
  }

  /// Settles a promise of C when `promise` is settled. The reference stays the caller's.
  private static func settle(
    _ handle: OpaquePointer, as promise: Promise<PluginValue>, of type: ValueType?, _ plan: TypePlan?
  ) {
    promise_retain(handle)
    let end = End(handle)
    promise.then({ fulfil(end.handle, with: $0, of: type, plan) }, { reject(end.handle, with: $0) })
  }

  /// The settling end: one reference to the C promise, held as long as the Swift promise may settle it.
  private final class End {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }
    deinit { promise_release(handle) }
  }

  private static func fulfil(_ handle: OpaquePointer, with value: PluginValue, of type: ValueType?, _ plan: TypePlan?) {
    guard let suitable = PluginValue.suiting(type, value) else {
      return reject(handle, with: mismatch(value.name, type))
    }
    do throws(ArgumentMismatch) {
      var converted = try Self.converted(suitable, type, plan)
      promise_resolve(handle, &converted)
    } catch {
      reject(handle, with: mismatch("a value whose part '\(error.path)' \(error.message)", type))
    }
  }

  private static func reject(_ handle: OpaquePointer, with reason: Any?) {
    var reason = promise_value_t(reason: reason)
    promise_reject(handle, &reason)
  }
}
