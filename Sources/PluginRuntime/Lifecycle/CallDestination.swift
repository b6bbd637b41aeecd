import CPromise
import Promises

/// The promise that a call settles. Each is settled once, by one of these functions.
protocol CallDestination: Sendable {
  /// The value is borrowed.
  func fulfil(with value: UnsafePointer<promise_value_t>)
  /// The reason is borrowed.
  func reject(with reason: UnsafePointer<promise_value_t>)
  func reject(with error: PluginError)
}

/// A promise for a caller in Swift.
struct SwiftDestination: CallDestination {
  let promise: Promise<PluginValue>
  /// The type that the value is read as; `nil`: by its kind.
  let plan: TypePlan?

  func fulfil(with value: UnsafePointer<promise_value_t>) {
    // The kind was compared with the signature before.
    promise.resolve(plan?.value(value) ?? PluginValue(value) ?? .void)
  }

  func reject(with reason: UnsafePointer<promise_value_t>) { promise.reject(reason.pointee.reason) }
  func reject(with error: PluginError) { promise.reject(error) }
}

/// A promise for a caller in C. It holds one reference, which it releases once the promise is settled or discarded.
final class ABIDestination: CallDestination {
  private let handle: UInt
  private var promise: OpaquePointer? { OpaquePointer(bitPattern: handle) }

  init(takingOver promise: OpaquePointer) { handle = UInt(bitPattern: promise) }
  deinit { promise_release(promise) }

  func fulfil(with value: UnsafePointer<promise_value_t>) {
    promise_value_retain(value)
    promise_resolve(promise, value)
  }

  func reject(with reason: UnsafePointer<promise_value_t>) {
    promise_value_retain(reason)
    promise_reject(promise, reason)
  }

  func reject(with error: PluginError) {
    var reason = promise_value_t(error)
    promise_reject(promise, &reason)
  }
}
