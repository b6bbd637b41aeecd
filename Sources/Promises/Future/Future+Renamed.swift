// One name, one meaning: `then` is what the promise specification calls so, on `Promise`.
extension Future {
  /// Not here, because libraries mean different things by it.
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
