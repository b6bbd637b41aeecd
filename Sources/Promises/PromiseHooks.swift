/// What is told when something goes wrong that nobody asked about: a bug, as a rule.
///
///     PromiseHooks.install(PromiseHooks(unhandledRejection: { id, reason in
///       log("promise \(id) failed, and nobody heard: \(reason ?? "no reason")")
///     }))
///
/// There is one set in a process, whatever language installs it, and it hears of the promises of all. Without one, nobody
/// is told and nothing is printed.
///
/// A hook is called on the thread where it happens, with no lock held, and may do anything. What happens within a hook
/// is not reported.
public struct PromiseHooks: Sendable {
  /// Called when a promise or future that was rejected goes without anybody having taken that. It is never a false alarm:
  /// nobody can take it any more. A callback takes a rejection, and so does whoever asks for the state, the reason or the
  /// result. What is derived from a promise takes its rejection too, and has to be taken itself then. That something was
  /// discarded or cancelled is not reported, nor what was rejected before the hook was installed.
  public var unhandledRejection: (@Sendable (_ id: UInt64, _ reason: Any?) -> Void)?

  /// Called when a promise or future that is settled already is settled again, with the value or reason that gets lost.
  /// Discarding is not reported.
  public var secondSettlement: (@Sendable (_ id: UInt64, _ state: PromiseState, _ value: Any?) -> Void)?

  /// Called when a promise that somebody was to settle goes unsettled, with the number of callbacks that will never run.
  /// What was derived from it stays pending, and is not reported.
  public var droppedPending: (@Sendable (_ id: UInt64, _ callbacks: Int) -> Void)?

  /// Creates a set of hooks; what is left out is not heard of.
  public init(
    unhandledRejection: (@Sendable (_ id: UInt64, _ reason: Any?) -> Void)? = nil,
    secondSettlement: (@Sendable (_ id: UInt64, _ state: PromiseState, _ value: Any?) -> Void)? = nil,
    droppedPending: (@Sendable (_ id: UInt64, _ callbacks: Int) -> Void)? = nil
  ) {
    self.unhandledRejection = unhandledRejection
    self.secondSettlement = secondSettlement
    self.droppedPending = droppedPending
  }

  /// Replaces the hooks of this process; `nil` to have none. Those before may still be busy on other threads.
  ///
  /// - Thread: any.
  public static func install(_ hooks: PromiseHooks?) {
    guard let hooks else {
      _ = unsafe Hooks.replace(nil, Context(nil, nil))
      return
    }
    let box = unsafe Unmanaged.passRetained(HookBox(hooks)).toOpaque()
    let context = unsafe Context(box) { unsafe Unmanaged<HookBox>.fromOpaque($0!).release() }
    guard Hooks.replace(hooks.functions, context) else { fatalError("no memory for hooks") }
  }

  /// What calls the closures.
  private var functions: Hooks {
    var functions = Hooks()
    if unhandledRejection != nil {
      unsafe functions.unhandledRejection = { box, id, reason in
        unsafe HookBox.at(box).unhandledRejection?(id, reason.load(as: CellValue.self).reason)
      }
    }
    if secondSettlement != nil {
      unsafe functions.secondSettlement = { box, id, state, value in
        let value = unsafe value.load(as: CellValue.self).reason
        unsafe HookBox.at(box).secondSettlement?(id, state == 3 ? .rejected : .fulfilled, value)
      }
    }
    if droppedPending != nil {
      unsafe functions.lostPromise = { box, id, callbacks in
        unsafe HookBox.at(box).droppedPending?(id, Int(callbacks))
      }
    }
    return functions
  }
}

private final class HookBox {
  let hooks: PromiseHooks
  init(_ hooks: PromiseHooks) { self.hooks = hooks }

  static func at(_ context: UnsafeMutableRawPointer?) -> PromiseHooks {
    unsafe Unmanaged<HookBox>.fromOpaque(context!).takeUnretainedValue().hooks
  }
}
