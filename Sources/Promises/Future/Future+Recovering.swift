extension Future where Failure: Error {
  /// Returns a future of the value that `transform` returns for the error. If it returns `nil`, the future has this
  /// one's outcome.
  ///
  /// - Parameters:
  ///   - context: the context in which `transform` runs.
  ///   - token: once it is invalidated, `transform` is not called, and the future is cancelled.
  ///   - includingIndirectErrors: whether `transform` is also called with the indirect error of a cancelled future.
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

  /// Returns a future in which `value` replaces an error. The expression is evaluated at most once, in the context, and
  /// only for an error.
  public func recover(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    with value: @escaping @autoclosure () -> Value
  ) -> Future {
    recover(on: context, token: token, includingIndirectErrors: includingIndirectErrors) { _ in .some(value()) }
  }

  /// Returns a future of `transform`'s result for the value, as `tryMap` does, except that an error of this future
  /// cancels the new one, with the error as indirect error. So only the failing link of a chain is rejected, and the
  /// links after it are cancelled.
  public func mapOrCancel<NewValue>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) throws -> NewValue
  ) -> Future<NewValue, any Error> {
    cancellingOnError(on: context, token: token) { value, out in try out.leave(transform(value)) }
  }

  /// Returns a future that follows the future `transform` returns, as `tryFlatMap` does, with this future's errors
  /// handled as in `mapOrCancel`.
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

  /// Returns a future that is fulfilled after `callback` has run. `callback` is called for every outcome.
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
