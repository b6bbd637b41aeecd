extension Future where Failure: Error {
  /// A future of the value that `transform` has for the error. If it has none, the future ends as this one did.
  ///
  /// - Parameters:
  ///   - context: where `transform` runs.
  ///   - token: once it is invalidated, `transform` is not called, and the future is cancelled.
  ///   - includingIndirectErrors: whether `transform` is also called with the error because of which this future was
  ///     cancelled.
  ///   - transform: called with the error.
  public func recover(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    _ transform: @escaping (any Error) -> Value?
  ) -> Future {
    derive(
      on: context, token: token, .transforming(.anyError(includingIndirectErrors)),
      Reactions.onAnyError(of: Future.self, includingIndirectErrors: includingIndirectErrors) { error, out in
        transform(error).map { out.leave($0) } ?? .pass
      })
  }

  /// A future of `value` in place of an error. The expression is evaluated if it is needed, once, in the context.
  public func recover(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    with value: @escaping @autoclosure () -> Value
  ) -> Future {
    recover(on: context, token: token, includingIndirectErrors: includingIndirectErrors) { _ in .some(value()) }
  }

  /// `tryMap` for work that makes sense only if the work before it succeeded: an error of this future does not become an
  /// error of the new one, but cancels it, as the indirect error. So in a chain only the link that failed is rejected.
  public func mapOrCancel<NewValue>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) throws -> NewValue
  ) -> Future<NewValue, any Error> {
    cancellingOnError(on: context, token: token) { value, out in try out.leave(transform(value)) }
  }

  /// `tryFlatMap`, with errors of this future as in `mapOrCancel`.
  public func flatMapOrCancel<NewValue, E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    cancellingOnError(on: context, token: token) { value, out in try out.leave(following: transform(value)) }
  }

  private func cancellingOnError<NewValue>(
    on context: PromiseContext, token: InvalidationToken?,
    _ body: @escaping (Value, inout CellValue) throws -> Verdict
  ) -> Future<NewValue, any Error> {
    let onValue = Reactions.onValue(of: Future.self) { value, out in out.attempt { try body(value, &$0) } }
    let ended: Future<Value, any Error> = derive(
      on: .immediate, token: nil, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.leave(cancelledBecause: error) })
    return ended.derive(on: context, token: token, .transforming(.fulfilled), onValue)
  }

  /// A future that is fulfilled after `callback` has run, which is called however this one ends.
  @discardableResult
  public func always(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil, _ callback: @escaping () -> Void
  ) -> Future<Void, Never> {
    derive(
      on: context, token: token, .transforming(.all),
      { _, _, out in
        callback()
        return out.leave(())
      })
  }
}
