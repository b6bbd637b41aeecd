/// A future with a token: everything derived from it is derived with the token.
///
///     download.withToken(token).map(parse).onSuccess(on: .main) { self.show($0) }
///
/// What is derived from it first is also asked to cancel when the token is invalidated; what is derived from that passes
/// requests on to it anyway. The methods are those of `Future`, without the token's parameter.
public struct TokenFuture<Value, Failure> {
  /// The future itself.
  public let inner: Future<Value, Failure>
  /// The token that everything derived gets.
  public let token: InvalidationToken
  /// Whether it was made with the token, rather than derived from one that was.
  private let isFirst: Bool

  /// Binds a future to a token.
  public init(future: Future<Value, Failure>, token: InvalidationToken) {
    self.init(future, token, isFirst: true)
  }

  private init(_ future: Future<Value, Failure>, _ token: InvalidationToken, isFirst: Bool) {
    inner = future
    self.token = token
    self.isFirst = isFirst
  }

  /// What was derived from the inner future, with the token.
  func derived<NewValue, NewFailure>(_ future: Future<NewValue, NewFailure>) -> TokenFuture<NewValue, NewFailure> {
    if isFirst { token.requestCancelOnInvalidate(future) }
    return TokenFuture<NewValue, NewFailure>(future, token, isFirst: false)
  }

  /// The same for what has nothing to do with the inner future's cancellation.
  func aside(_ future: Future<Value, Failure>) -> TokenFuture { TokenFuture(future, token, isFirst: isFirst) }

  /// A request would concern the inner future, whoever else uses it: invalidate the token, or say `inner`.
  @available(*, unavailable, message: "invalidate the token, or ask `inner`")
  public func requestCancel() { fatalError("unavailable") }

  /// What is derived is registered with the token already.
  @available(*, unavailable, message: "what is derived is registered with the token already")
  public func requestCancelOnInvalidate(_ token: InvalidationToken) -> TokenFuture { fatalError("unavailable") }
}

extension Future {
  /// This future with a token, which everything derived from it gets.
  public func withToken(_ token: InvalidationToken) -> TokenFuture<Value, Failure> {
    TokenFuture(future: self, token: token)
  }
}

extension TokenFuture: Equatable {
  /// Whether both are the same future with the same token.
  public static func == (one: TokenFuture, other: TokenFuture) -> Bool {
    one.inner == other.inner && one.token == other.token
  }
}

extension TokenFuture: Sendable where Value: Sendable, Failure: Sendable {}
