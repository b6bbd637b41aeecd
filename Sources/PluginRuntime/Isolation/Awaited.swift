import Dispatch
import Synchronization

/// A value that one thread waits for, and another sets. A second value is ignored.
final class Awaited<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isSet = DispatchSemaphore(value: 0)

  /// Sets the value. Returns whether it is the first.
  @discardableResult
  func set(_ new: Value) -> Bool {
    let isFirst = value.withLock { value in
      defer { value = value ?? new }
      return value == nil
    }
    if isFirst { isSet.signal() }
    return isFirst
  }

  /// Waits for the value.
  func wait() -> Value {
    isSet.wait()
    guard let value = value.withLock({ $0 }) else { preconditionFailure("signalled without a value") }
    return value
  }
}
