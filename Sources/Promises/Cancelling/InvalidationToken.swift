/// Cancels many operations at once: requests cancellation of the futures registered with it, and silences the callbacks
/// attached with it.
///
///     let token = InvalidationToken()
///     download.onSuccess(token: token) { self.show($0) }    // not called once the token is invalidated
///     token.requestCancelOnInvalidate(download)
///     token.invalidate()
///
/// A token can be invalidated repeatedly: an invalidation affects only earlier attachments and registrations. Callbacks
/// and futures hold no reference to the token, and the token holds none to a future. A token stored in an object ends
/// the work started for the object when the object is destroyed.
///
/// Everything may be called from any thread.
public final class InvalidationToken: Sendable {
  let core: Core

  /// The engine's token. Callbacks hold this object, so that they do not keep the `InvalidationToken` alive.
  final class Core: Sendable {
    let token: CancelToken
    init(_ token: CancelToken) {
      self.token = token
      _ = token.ref.retain()
    }
    deinit { token.ref.release() }
  }

  /// Creates a token.
  ///
  /// - Parameter invalidateOnDeinit: whether the token is invalidated when its last reference is released.
  public init(invalidateOnDeinit: Bool = true) {
    guard let token = CancelToken.make(invalidatesWhenDropped: invalidateOnDeinit) else {
      fatalError("no memory for a token")
    }
    core = Core(token)
  }

  deinit { core.token.releaseHandle() }

  /// Silences the callbacks attached with the token so far, then requests cancellation of each registered future, once,
  /// in the order of registration. Then it invalidates the chained tokens, the latest chained first.
  ///
  /// The callbacks of the cancelled futures are silenced before the requests, if they were attached with the token.
  public func invalidate() { _ = core.token.invalidate() }

  /// Requests cancellation as `invalidate()` does, without silencing callbacks: they are notified of the cancellations.
  public func cancelWithoutInvalidating() { _ = core.token.cancelWithoutInvalidating() }

  /// Registers a future: it is asked to cancel the next time the token is invalidated or cancelled. If the token's
  /// deadline has passed, the future is asked before this returns. Neither holds a reference to the other.
  @inlinable public func requestCancelOnInvalidate<Value, Failure>(_ future: Future<Value, Failure>) {
    requestCancelOnInvalidate(future.cell)
  }

  @usableFromInline func requestCancelOnInvalidate(_ cell: CellRef) {
    if !core.token.add(cell) { fatalError("no memory to register a future") }
  }

  /// Chains this token to `token`: invalidating `token` invalidates this one too, each time. Neither holds a reference
  /// to the other.
  ///
  /// - Parameters:
  ///   - token: the parent.
  ///   - includingCancelWithoutInvalidating: whether cancelling the parent without invalidating it cancels this token
  ///     as well.
  /// - Returns: false, without any effect, if `token` is this token or is chained to it, directly or through others: a
  ///   cycle.
  @discardableResult
  public func chainInvalidation(
    from token: InvalidationToken, includingCancelWithoutInvalidating: Bool = true
  ) -> Bool {
    switch core.token.chain(to: token.core.token, includingCancel: includingCancelWithoutInvalidating) {
    case .chained: return true
    case .cycle: return false
    case .outOfMemory: fatalError("no memory to chain a token")
    }
  }
}

extension InvalidationToken: Hashable {
  /// Returns true if both are the same token.
  public static func == (one: InvalidationToken, other: InvalidationToken) -> Bool { one === other }

  /// Hashes the token's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension InvalidationToken: CustomStringConvertible, CustomDebugStringConvertible {
  private var address: String { String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16) }

  /// The token's address, which identifies it.
  public var description: String { "<InvalidationToken: 0x\(address)>" }

  /// The token's address, the number of its invalidations, and the lengths of its lists of futures and tokens.
  /// Destroyed entries that are still in the lists count.
  public var debugDescription: String {
    "<InvalidationToken: 0x\(address); generation=\(core.token.generation) "
      + "futures=\(core.token.count(of: .promises)) tokens=\(core.token.count(of: .tokens))>"
  }
}

/// Records the token's generation when a callback is attached. The gate is open until the token is invalidated after
/// that.
struct TokenGate {
  private let core: InvalidationToken.Core
  private let attached: UInt32

  init(_ token: InvalidationToken) {
    core = token.core
    attached = core.token.generation
  }

  var isOpen: Bool { core.token.generation == attached }
}

extension Future {
  /// Registers this future with the token: it is asked to cancel the next time the token is invalidated or cancelled.
  ///
  /// - Returns: this future.
  @discardableResult
  public func requestCancelOnInvalidate(_ token: InvalidationToken) -> Future {
    token.requestCancelOnInvalidate(self)
    return self
  }

  /// Requests cancellation of this future when `owner` is destroyed.
  ///
  /// - Returns: this future.
  @discardableResult
  public func requestCancelOnDeinit(_ owner: some CancelOwner) -> Future {
    requestCancelOnInvalidate(owner.cancelsOnDeinit)
  }
}

/// An object that owns work: the work is cancelled when the object is destroyed.
///
///     final class Screen: CancelOwner { let cancelsOnDeinit = InvalidationToken() }
public protocol CancelOwner: AnyObject {
  /// The object's token. Store it in this object only: the object's deinitialization then releases it and so
  /// invalidates it.
  var cancelsOnDeinit: InvalidationToken { get }
}
