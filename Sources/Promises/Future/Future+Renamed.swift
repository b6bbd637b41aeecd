// `then` has one meaning in this library, that of the promise specification, on `Promise`.
extension Future {
  /// Unavailable: libraries disagree on its meaning.
  @available(
    *, unavailable,
    message: "use map for a new value, flatMap for a new future, onSuccess to look on, mapOrCancel for Daisy's meaning"
  )
  public func then<NewValue>(
    on context: PromiseContext = .immediate, _ callback: @escaping (Value) throws -> NewValue
  ) -> Future<NewValue, Failure> {
    fatalError("unavailable")
  }
}
