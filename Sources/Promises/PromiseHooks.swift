/// Callbacks that report misuse of promises, usually a bug in the program: unhandled rejections, second settlements,
/// and promises dropped while pending.
///
///     PromiseHooks.install(PromiseHooks(unhandledRejection: { id, reason in
///       log("promise \(id) failed, and nothing handled it: \(reason ?? "no reason")")
///     }))
///
/// A process has one set of hooks. It reports on all promises of the process, in every language, and any language can
/// install it. Without hooks, the library reports and prints nothing.
///
/// A hook runs on the thread that causes the report, with no lock held, and may call anything. Reports caused within a
/// hook are suppressed.
public struct PromiseHooks: Sendable {
  /// Called when a rejected promise or future is destroyed and its rejection was never handled. There are no false
  /// alarms: once the promise is destroyed, nothing can handle the rejection.
  ///
  /// A rejection is handled by a callback for rejections, such as `whenRejected` and `whenResolved`, and by reading the
  /// state, the reason or the result; not by a callback for other outcomes alone, such as `whenFulfilled`. A derived
  /// promise handles its source's rejection; if it is rejected in turn, its own rejection must be handled. Discarded
  /// and cancelled promises are not reported, nor are rejections from before the hook was installed.
  public var unhandledRejection: (@Sendable (_ id: UInt64, _ reason: Any?) -> Void)?

  /// Called when a settled promise or future is settled again, with the value or reason that is dropped. Discarding is
  /// not reported, nor is `Resolver.resolve(with:)`, which drops nothing: the other future keeps its outcome.
  public var secondSettlement: (@Sendable (_ id: UInt64, _ state: PromiseState, _ value: Any?) -> Void)?

  /// Called when a promise is destroyed while pending, with the number of callbacks that will never run. Only promises
  /// that the program itself settles are reported: a promise derived from one of these stays pending without a report.
  public var droppedPending: (@Sendable (_ id: UInt64, _ callbacks: Int) -> Void)?

  /// Creates a set of hooks; events without a hook are not reported.
  public init(
    unhandledRejection: (@Sendable (_ id: UInt64, _ reason: Any?) -> Void)? = nil,
    secondSettlement: (@Sendable (_ id: UInt64, _ state: PromiseState, _ value: Any?) -> Void)? = nil,
    droppedPending: (@Sendable (_ id: UInt64, _ callbacks: Int) -> Void)? = nil
  ) {
    self.unhandledRejection = unhandledRejection
    self.secondSettlement = secondSettlement
    self.droppedPending = droppedPending
  }

  /// Replaces the process's hooks; `nil` removes them. Calls of the old hooks may still be running on other threads.
  ///
  /// - Thread: any.
  public static func install(_ hooks: PromiseHooks?) {
    guard let hooks else {
      _ = unsafe Hooks.replace(nil, Context(nil, nil))
      return
    }
    guard Hooks.replace(hooks.functions, Context(keeping: hooks)) else { fatalError("no memory for hooks") }
  }

  /// The engine's function table, whose functions call the closures.
  private var functions: Hooks {
    var functions = Hooks()
    if unhandledRejection != nil {
      unsafe functions.unhandledRejection = { context, id, reason in
        unsafe hooks(in: context).unhandledRejection?(id, reason.load(as: CellValue.self).reason)
      }
    }
    if secondSettlement != nil {
      unsafe functions.secondSettlement = { context, id, state, value in
        let value = unsafe value.load(as: CellValue.self).reason
        unsafe hooks(in: context).secondSettlement?(id, state == 3 ? .rejected : .fulfilled, value)
      }
    }
    if droppedPending != nil {
      unsafe functions.lostPromise = { context, id, callbacks in
        unsafe hooks(in: context).droppedPending?(id, Int(callbacks))
      }
    }
    return functions
  }
}

private func hooks(in context: UnsafeMutableRawPointer?) -> PromiseHooks { unsafe Context.value(in: context) }
