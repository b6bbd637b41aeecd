/// The value of a future, for consumers that ignore failures: without a value, no callback runs.
public struct SuccessOnlyFuture<Value> {
  private let future: Future<Value, Never>

  fileprivate init(_ future: Future<Value, Never>) { self.future = future }

  /// The value; `nil` if the future is pending, or has none.
  public var value: Value? { future.value }

  /// Calls `callback` with the value.
  public func onSuccess(_ callback: consuming @escaping (Value) -> Void) {
    future.whenFulfilled(consume callback)
  }

  /// Calls `callback` with the value, in `context`.
  @_disfavoredOverload
  public func onSuccess(on context: PromiseContext, _ callback: sending @escaping (Value) -> Void) {
    future.whenFulfilled(on: context, consume callback)
  }

  /// Calls `callback` with the value, on the main actor.
  public func onSuccess(on main: MainContext, _ callback: consuming @escaping @MainActor (Value) -> Void) {
    future.whenFulfilled(on: main, consume callback)
  }

  /// Returns a success-only future of `transform`'s result for the value. `transform` is called once, when the value is
  /// known.
  public func map<NewValue>(_ transform: consuming @escaping (Value) -> NewValue) -> SuccessOnlyFuture<NewValue> {
    SuccessOnlyFuture<NewValue>(future.map(consume transform))
  }

  /// Returns a success-only future of `transform`'s result; `transform` runs in `context`.
  @_disfavoredOverload
  public func map<NewValue>(
    on context: PromiseContext, _ transform: sending @escaping (Value) -> NewValue
  ) -> SuccessOnlyFuture<NewValue> {
    SuccessOnlyFuture<NewValue>(future.map(on: context, consume transform))
  }

  /// Returns a success-only future of `transform`'s result; `transform` runs on the main actor.
  public func map<NewValue>(
    on main: MainContext, _ transform: consuming @escaping @MainActor (Value) -> NewValue
  ) -> SuccessOnlyFuture<NewValue> {
    SuccessOnlyFuture<NewValue>(future.map(on: main, consume transform))
  }
}

extension SuccessOnlyFuture: Sendable where Value: Sendable {}

extension Future {
  /// Returns this future without its errors.
  public func successOnly() -> SuccessOnlyFuture<Value> {
    SuccessOnlyFuture(
      mapResult { result in
        switch result {
        case .fulfilled(let value): .fulfilled(value)
        case .rejected(let error): .cancelled(error as? any Error ?? RejectionReason(error))
        case .cancelled(let error): .cancelled(error)
        }
      })
  }
}
