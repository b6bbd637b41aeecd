/// A future bound to a token: every future derived from it is derived with the token.
///
///     download.withToken(token).map(parse).onSuccess(on: .main) { self.show($0) }
///
/// The methods are those of `Future`, without the token's parameter. Each future derived directly from this one is also
/// registered with the token, so that an invalidation asks it to cancel. Those of `tap()` and `ignoringCancel()` are
/// not, nor are futures further down the chain, which propagate requests upstream anyway.
///
/// It holds the token. So do not keep it longer than the owner of a token that is invalidated with its owner.
public struct TokenFuture<Value, Failure> {
  /// The future without the token.
  public let inner: Future<Value, Failure>
  /// The token of all derived futures.
  public let token: InvalidationToken
  /// Whether this was bound to the token by the user, rather than derived from a bound future.
  @usableFromInline let isFirst: Bool

  /// Binds a future to a token.
  @inlinable public init(future: Future<Value, Failure>, token: InvalidationToken) {
    self.init(future, token, isFirst: true)
  }

  @inlinable init(_ future: Future<Value, Failure>, _ token: InvalidationToken, isFirst: Bool) {
    inner = future
    self.token = token
    self.isFirst = isFirst
  }

  /// Wraps a future that was derived from the inner one with the token.
  @inlinable func derived<NewValue, NewFailure>(_ future: Future<NewValue, NewFailure>) -> TokenFuture<
    NewValue, NewFailure
  > {
    if isFirst { token.requestCancelOnInvalidate(future) }
    return TokenFuture<NewValue, NewFailure>(future, token, isFirst: false)
  }

  /// Wraps a future that is not part of the inner future's cancellation, so it is not registered with the token.
  @inlinable func aside(_ future: Future<Value, Failure>) -> TokenFuture {
    TokenFuture(future, token, isFirst: isFirst)
  }

  /// Unavailable: the request would also affect the other users of the inner future. Invalidate the token, or call the
  /// method on `inner`.
  @available(*, unavailable, message: "invalidate the token, or ask `inner`")
  public func requestCancel() { fatalError("unavailable") }

  /// Unavailable: derived futures are already registered with the token.
  @available(*, unavailable, message: "derived futures are registered with the token already")
  public func requestCancelOnInvalidate(_ token: InvalidationToken) -> TokenFuture { fatalError("unavailable") }
}

extension Future {
  /// Binds this future to a token, which every future derived from the result gets.
  @inlinable public func withToken(_ token: InvalidationToken) -> TokenFuture<Value, Failure> {
    TokenFuture(future: self, token: token)
  }
}

extension TokenFuture: Equatable {
  /// Returns true if both are the same future with the same token.
  public static func == (one: TokenFuture, other: TokenFuture) -> Bool {
    one.inner == other.inner && one.token == other.token
  }
}

extension TokenFuture: Sendable where Value: Sendable, Failure: Sendable {}
