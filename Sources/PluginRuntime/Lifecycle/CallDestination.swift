import CPromise
import Promises

/// The promise that a call settles. Each is settled once, by one of these functions.
protocol CallDestination: Sendable {
  /// Fulfils the promise. The value is borrowed.
  func fulfil(with value: UnsafePointer<promise_value_t>)
  /// Rejects the promise. The reason is borrowed.
  func reject(with reason: UnsafePointer<promise_value_t>)
  func reject(with error: PluginError)
}

/// A promise for a caller in Swift.
struct SwiftDestination: CallDestination {
  let promise: Promise<PluginValue>
  /// The called function; the value is read as its result.
  let function: BoundFunction

  func fulfil(with value: UnsafePointer<promise_value_t>) {
    do throws(ArgumentMismatch) {
      // The plan is that of an optional's content.
      guard let plan = function.resultPlan, value.pointee.kind != promise_kind_t(PROMISE_KIND_VOID) else {
        return promise.resolve(try PluginValue(value))
      }
      promise.resolve(try plan.value(value))
    } catch {
      promise.reject(function.error(.badOutput(Mismatch(-1, error.within("result"))), nil, 0))
    }
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
