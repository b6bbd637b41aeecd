import CPromise
import Promises

/// Promises of `PluginValue` as arguments: C wants the value itself in the promise.
enum PromiseBridge {
  /// A promise that ends as `promise` does, with values of the kind that C expects for the type (`nil`: void); a value
  /// that does not suit rejects it. A reference of the caller's; `nil` for want of memory.
  static func abi(_ promise: Promise<PluginValue>, of type: ValueType?) -> OpaquePointer? {
    guard let handle = promise_new() else { return nil }
    promise_retain(handle)
    let end = End(handle)
    promise.then({ end.fulfil(with: $0, of: type) }, { end.reject(with: $0) })
    return handle
  }

  /// The end that settles: one reference to the promise of C, held as long as the Swift promise may still settle.
  private final class End {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }
    deinit { promise_release(handle) }

    func fulfil(with value: PluginValue, of type: ValueType?) {
      guard let suitable = PluginValue.suiting(type, value) else {
        let expected = ValueType.promise(type)
        let message = "the promise was fulfilled with \(value.name), expected what a \(expected) can hold"
        return reject(with: PromiseError(domain: "promise", code: Int64(PROMISE_EINVAL), message: message))
      }
      guard var converted = promise_value_t(suitable) else {
        return reject(with: PromiseError(domain: "promise", code: Int64(PROMISE_ENOMEM), message: "no memory left"))
      }
      promise_resolve(handle, &converted)
    }

    func reject(with reason: Any?) {
      var reason = promise_value_t(reason: reason)
      promise_reject(handle, &reason)
    }
  }
}
