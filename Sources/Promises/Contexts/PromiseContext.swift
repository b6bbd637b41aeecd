import Dispatch

/// Where a callback runs: the leading `on:` argument of whatever takes one. Without it, `.immediate`.
///
///     promise.then(on: .main) { show($0) }
///     promise.then(on: .nowOr(.main)) { show($0) }    // at once if the value is known already
///
/// Every context but `.immediate` and what `.nowOr` makes runs callbacks later, even where the caller is there already.
/// On a serial one they run in the order in which they became due. A callback that ran is released there, right after
/// it; one that is not for the outcome is released without a hop.
///
/// Two contexts are equal if callbacks run at the same place in the same way: queues and executors are compared by
/// identity, and `.main` is not `.queue(.main)`.
public struct PromiseContext: Sendable, Hashable {
  /// Where, apart from when.
  enum Place: Sendable, Hashable {
    case immediate, main
    case global(PoolPriority)
    case executor(HeldExecutor)
  }

  let place: Place
  /// Whether a callback runs at once if the promise is settled when it is attached.
  let isNowOr: Bool

  init(_ place: Place, isNowOr: Bool = false) {
    self.place = place
    self.isNowOr = isNowOr
  }

  /// In the call that settles the promise, or that attaches to a settled one: at once, on that thread.
  public static let immediate = PromiseContext(.immediate)

  /// On the main queue, or what stands for it: see `useMainExecutor(_:isMainThread:)`.
  ///
  /// What becomes due on this context while one of its callbacks runs is run right after that callback, without another
  /// trip through the queue. So a chain of callbacks on `.main` ends in one turn of the run loop, unless it waits for
  /// something else. `.queue(.main)` does not do so.
  public static let main = PromiseContext(.main)

  /// On threads for work that nobody waits for.
  public static let background = PromiseContext(.global(.background))
  /// On threads for work whose progress a user may watch.
  public static let utility = PromiseContext(.global(.utility))
  /// On threads for work of no special importance.
  public static let `default` = PromiseContext(.global(.standard))
  /// On threads for work that a user has asked for and waits for.
  public static let userInitiated = PromiseContext(.global(.userInitiated))
  /// On threads for work that a user is interacting with.
  public static let userInteractive = PromiseContext(.global(.userInteractive))

  /// On a queue of yours, which is held until the callback has run or never will.
  public static func queue(_ queue: DispatchQueue) -> PromiseContext { PromiseContext(.executor(HeldExecutor(queue))) }

  /// On an executor of yours.
  public static func executor(_ executor: any PromiseExecutor) -> PromiseContext {
    PromiseContext(.executor(HeldExecutor(executor)))
  }

  /// At once, in the attaching call, if the promise is settled then; else on `context`.
  ///
  /// Only what is settled when the callback is attached counts: a callback attached before goes to `context`, even if
  /// another one that runs at once is what settles its promise.
  public static func nowOr(_ context: PromiseContext) -> PromiseContext {
    PromiseContext(context.place, isNowOr: true)
  }

  /// `.main` on the main thread, `.default` elsewhere; looked at now.
  public static var auto: PromiseContext { MainContext.isCurrent ? .main : .default }

  /// The context of a global queue: `.default` for an unspecified quality of service.
  public init(qos: DispatchQoS.QoSClass) {
    switch qos {
    case .background: self = .background
    case .utility: self = .utility
    case .default, .unspecified: self = .default
    case .userInitiated: self = .userInitiated
    case .userInteractive: self = .userInteractive
    @unknown default: self = .queue(.global(qos: qos))
    }
  }
}

extension PromiseContext: CustomStringConvertible {
  /// The context as it is written.
  public var description: String {
    let name =
      switch place {
      case .immediate: ".immediate"
      case .main: ".main"
      case .global(let priority): ".\(priority)"
      case .executor(let executor): executor.description
      }
    return isNowOr ? ".nowOr(\(name))" : name
  }
}
