import Dispatch

/// The place where a callback runs, given as the leading `on:` argument. Without it, a callback runs inline.
///
///     promise.then(on: .utility) { index($0) }
///     promise.then(on: .main) { show($0) }    // `MainContext`: the closure is `@MainActor`
///
/// A closure for a context is `sending`: it runs elsewhere than the code around it, so its captures are transferred.
///
/// All contexts except `.immediate` and `.nowOr` run callbacks asynchronously, even if the caller is already on the
/// right thread. A serial context runs them in the order in which they became due. A callback is released in its
/// context, right after it has run. If the outcome is not one that it handles, it is released without a hop. A callback
/// of a stream is released with its subscriber, on the thread that releases that, or after the end of the stream.
///
/// Two contexts are equal if they run callbacks in the same place and in the same way. Queues and executors are
/// compared by identity, and `.main` is not `.queue(.main)`. Each reading of `.current` is a context of its own, which
/// equals only its copies.
public struct PromiseContext: Sendable, Hashable {
  /// The place, without the condition of `nowOr`.
  enum Place: Sendable, Hashable {
    case immediate, main
    case global(PoolPriority)
    case executor(HeldExecutor)
  }

  let place: Place
  /// Whether a callback runs inline if the promise is already settled when it is attached.
  let isNowOr: Bool

  init(_ place: Place, isNowOr: Bool = false) {
    self.place = place
    self.isNowOr = isNowOr
  }

  /// Inline: in the call that settles the promise, or in the attaching call if the promise is already settled.
  public static let immediate = PromiseContext(.immediate)

  /// The main queue, or its replacement: see `useMainExecutor(_:isMainThread:)`.
  ///
  /// Callbacks run in the order in which they became due. Those that become due within a callback of this context run
  /// in the same turn of the queue, after all that were due before. So a chain of `.main` callbacks completes in one
  /// turn of the run loop, unless it waits for something else. After 1,000 such callbacks the other blocks on the queue
  /// get their turn. `.queue(.main)` takes a turn for each callback.
  ///
  /// As an argument for `on:`, `.main` is `MainContext.main`, whose closures are `@MainActor`.
  @_disfavoredOverload
  public static let main = PromiseContext(.main)

  /// Pool threads for work that no user waits for.
  public static let background = PromiseContext(.global(.background))
  /// Pool threads for work whose progress a user may watch.
  public static let utility = PromiseContext(.global(.utility))
  /// Pool threads for work of no special importance.
  public static let `default` = PromiseContext(.global(.standard))
  /// Pool threads for work that a user has requested and waits for.
  public static let userInitiated = PromiseContext(.global(.userInitiated))
  /// Pool threads for work that a user interacts with.
  public static let userInteractive = PromiseContext(.global(.userInteractive))

  /// Returns the context of a dispatch queue, which is retained until the callback has run or can no longer run.
  public static func queue(_ queue: DispatchQueue) -> PromiseContext { PromiseContext(.executor(HeldExecutor(queue))) }

  /// Returns the context of an executor of yours.
  public static func executor(_ executor: any PromiseExecutor) -> PromiseContext {
    PromiseContext(.executor(HeldExecutor(executor)))
  }

  /// Returns a context that runs a callback inline, in the attaching call, if the promise is already settled, and
  /// otherwise in `context`.
  ///
  /// Only the state at the time of attachment counts. A callback attached to a pending promise runs on `context`, even
  /// if another inline callback settles that promise.
  public static func nowOr(_ context: PromiseContext) -> PromiseContext {
    PromiseContext(context.place, isNowOr: true)
  }

  /// `.main` if the caller is on the main thread, otherwise `.default`; evaluated when it is read.
  public static var auto: PromiseContext { MainContext.isCurrent ? .main : .default }

  /// Creates the context for a quality of service; `.default` for an unspecified one.
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
  /// The context in source code.
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
