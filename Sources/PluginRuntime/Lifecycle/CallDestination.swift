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

  func fulfil(with value: UnsafePointer<promise_value_t>) {
    // The kind was compared with the signature before.
    promise.resolve(PluginValue(value) ?? .void)
  }

  func reject(with reason: UnsafePointer<promise_value_t>) { promise.reject(reason.pointee.reason) }
  func reject(with error: PluginError) { promise.reject(error) }
}

/// A promise for a caller in C. It holds one reference, which goes when the promise is settled.
struct ABIDestination: CallDestination {
  private let handle: UInt

  init(takingOver handle: OpaquePointer) { self.handle = UInt(bitPattern: handle) }

  func fulfil(with value: UnsafePointer<promise_value_t>) {
    promise_value_retain(value)
    promise_resolve(OpaquePointer(bitPattern: handle), value)
    promise_release(OpaquePointer(bitPattern: handle))
  }

  func reject(with reason: UnsafePointer<promise_value_t>) {
    promise_value_retain(reason)
    promise_reject(OpaquePointer(bitPattern: handle), reason)
    promise_release(OpaquePointer(bitPattern: handle))
  }

  func reject(with error: PluginError) {
    var reason = promise_value_t(error)
    promise_reject(OpaquePointer(bitPattern: handle), &reason)
    promise_release(OpaquePointer(bitPattern: handle))
  }
}
