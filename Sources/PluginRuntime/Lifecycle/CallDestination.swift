import CPromise
import Promises

/// The promise that a call settles. The call invokes exactly one of `fulfil` and the two `reject`, once.
protocol CallDestination: AnyObject, Sendable {
  /// Fulfils the promise. The value is borrowed.
  func fulfil(with value: UnsafePointer<promise_value_t>)
  /// Rejects the promise. The reason is borrowed.
  func reject(with reason: UnsafePointer<promise_value_t>)
  func reject(with error: PluginError)
  /// Passes requests to cancel the promise to the call, which is pending.
  func passRequests(to call: PluginCall)
  /// Discards the promise if its cancellation was requested. Returns false if it was not.
  func discardIfRequested() -> Bool
}

/// A promise for a caller in Swift.
final class SwiftDestination: CallDestination {
  private let promise: Promise<PluginValue>
  /// The called function; the value is read as its result.
  private let function: BoundFunction

  init(_ promise: Promise<PluginValue>, _ function: BoundFunction) {
    (self.promise, self.function) = (promise, function)
  }

  func fulfil(with value: UnsafePointer<promise_value_t>) {
    do throws(ArgumentMismatch) {
      promise.resolve(try function.result(value))
    } catch {
      promise.reject(function.unreadableResult(error))
    }
  }

  func reject(with reason: UnsafePointer<promise_value_t>) { promise.reject(reason.pointee.reason) }
  func reject(with error: PluginError) { promise.reject(error) }

  func passRequests(to call: PluginCall) { promise.cell.onCancelRequest { call.requestCancel() } }

  func discardIfRequested() -> Bool {
    guard promise.cell.isCancelRequested else { return false }
    promise.discard()
    return true
  }
}

/// A promise for a caller in C. It holds one reference, which it releases once the promise is settled or discarded.
final class ABIDestination: CallDestination {
  private let handle: UInt
  private var promise: OpaquePointer? { OpaquePointer(bitPattern: handle) }

  init(takingOver promise: OpaquePointer) { handle = UInt(bitPattern: promise) }
  deinit { promise_release(promise) }

  func fulfil(with value: UnsafePointer<promise_value_t>) {
    guard promise_value_retain(value) == PROMISE_OK else { return rejectForLimit() }
    promise_resolve(promise, value)
  }

  func reject(with reason: UnsafePointer<promise_value_t>) {
    guard promise_value_retain(reason) == PROMISE_OK else { return rejectForLimit() }
    promise_reject(promise, reason)
  }

  private func rejectForLimit() {
    var reason = promise_value_t.tooManyReferences
    promise_reject(promise, &reason)
  }

  func reject(with error: PluginError) {
    var reason = promise_value_t(error)
    promise_reject(promise, &reason)
  }

  func passRequests(to call: PluginCall) {
    promise_on_cancel_request(
      promise, { call, _ in Unmanaged<PluginCall>.fromOpaque(call!).takeUnretainedValue().requestCancel() },
      Unmanaged.passRetained(call).toOpaque(), { Unmanaged<PluginCall>.fromOpaque($0!).release() })
  }

  func discardIfRequested() -> Bool {
    guard promise_cancel_requested(promise) == 1 else { return false }
    promise_discard(promise)
    return true
  }
}

extension BoundFunction {
  /// Reads the value of a call's result.
  func result(_ value: UnsafePointer<promise_value_t>) throws(ArgumentMismatch) -> PluginValue {
    // The plan is that of an optional's content.
    guard let resultPlan, value.pointee.kind != promise_kind_t(PROMISE_KIND_VOID) else { return try PluginValue(value) }
    return try resultPlan.value(value)
  }

  /// The error of a call whose result cannot be read.
  func unreadableResult(_ mismatch: ArgumentMismatch) -> PluginError {
    error(.badOutput(mismatch.within("result")), nil, 0)
  }
}
