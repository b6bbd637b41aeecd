/// The value of a future, for consumers that ignore failures: without a value, no callback runs.
public struct SuccessOnlyFuture<Value> {
  private let future: Future<Value, Never>

  fileprivate init(_ future: Future<Value, Never>) { self.future = future }

  /// The value; `nil` if there is none or not yet.
  public var value: Value? { future.value }

  /// Calls `callback` with the value.
  public func onSuccess(on context: PromiseContext = .immediate, _ callback: @escaping (Value) -> Void) {
    future.whenFulfilled(on: context, callback)
  }

  /// Returns a success-only future of `transform`'s result for the value. `transform` is called once, when the value is
  /// known.
  public func map<NewValue>(
    on context: PromiseContext = .immediate, _ transform: @escaping (Value) -> NewValue
  ) -> SuccessOnlyFuture<NewValue> {
    SuccessOnlyFuture<NewValue>(future.map(on: context, transform))
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
