/// Ends many things at once: what was registered with it is asked to cancel, and callbacks attached with it are not
/// called any more.
///
///     let token = InvalidationToken()
///     download.onSuccess(token: token) { self.show($0) }    // not called once the token is invalidated
///     token.requestCancelOnInvalidate(download)
///     token.invalidate()
///
/// A token can be invalidated again and again: what is attached or registered later is not touched by what was before.
/// Neither a callback nor a future keeps a token, and a token keeps no future. Kept in an object, it ends what was started
/// for the object when that goes.
///
/// Everything may be called from any thread.
public final class InvalidationToken: Sendable {
  let core: Core

  /// The engine's token. Callbacks keep this, which does not keep the token from being dropped.
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
  /// - Parameter invalidateOnDeinit: whether the token is invalidated when the last reference to it goes.
  public init(invalidateOnDeinit: Bool = true) {
    guard let token = CancelToken.make(invalidatesWhenDropped: invalidateOnDeinit) else {
      fatalError("no memory for a token")
    }
    core = Core(token)
  }

  deinit { core.token.releaseHandle() }

  /// From now on callbacks attached with the token before are not called. Then each registered future is asked to
  /// cancel, in the order of registration, once; then the tokens that were chained to this one go the same way, the
  /// latest first. What the cancelled futures would call is silenced already.
  public func invalidate() { core.token.invalidate() }

  /// The same without silencing callbacks: they hear of the cancellations.
  public func cancelWithoutInvalidating() { core.token.cancelWithoutInvalidating() }

  /// The future is asked to cancel the next time the token is invalidated or cancelled. Neither keeps the other.
  public func requestCancelOnInvalidate<Value, Failure>(_ future: Future<Value, Failure>) {
    if !core.token.add(future.cell) { fatalError("no memory to register a future") }
  }

  /// From now on this token goes whenever `token` does. Neither keeps the other.
  ///
  /// - Parameters:
  ///   - token: the one to go with.
  ///   - includingCancelWithoutInvalidating: whether also when `token` is cancelled without being invalidated.
  /// - Returns: false, and nothing changes, if `token` is this one or goes with it already: such a circle would never end.
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
  /// Whether both are the same token.
  public static func == (one: InvalidationToken, other: InvalidationToken) -> Bool { one === other }

  /// By identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension InvalidationToken: CustomStringConvertible, CustomDebugStringConvertible {
  private var address: String { String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16) }

  /// The token's address: tokens are told apart by identity.
  public var description: String { "<InvalidationToken: 0x\(address)>" }

  /// Also how often it was invalidated, and how many futures and tokens it has in its lists, gone ones included.
  public var debugDescription: String {
    "<InvalidationToken: 0x\(address); generation=\(core.token.generation) "
      + "futures=\(core.token.count(of: .promises)) tokens=\(core.token.count(of: .tokens))>"
  }
}

/// What a callback keeps of its token: whether it was invalidated since the callback was attached.
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
  /// Asks for this future to be cancelled when the token is invalidated or cancelled next; returns this future.
  @discardableResult
  public func requestCancelOnInvalidate(_ token: InvalidationToken) -> Future {
    token.requestCancelOnInvalidate(self)
    return self
  }

  /// Asks for this future to be cancelled when `owner` goes; returns this future.
  @discardableResult
  public func requestCancelOnDeinit(_ owner: some CancelOwner) -> Future {
    requestCancelOnInvalidate(owner.cancelsOnDeinit)
  }
}

/// An object for which work is done that is of no use without it.
///
///     final class Screen: CancelOwner { let cancelsOnDeinit = InvalidationToken() }
public protocol CancelOwner: AnyObject {
  /// The object's own token, stored in it and nowhere else, which is invalidated when it goes.
  var cancelsOnDeinit: InvalidationToken { get }
}
