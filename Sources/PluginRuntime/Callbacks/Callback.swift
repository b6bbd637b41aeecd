import CPluginEdge
import CPromise

/// A live callback as its owner sees it. It may have ended by itself; the C function pointer stays callable for ever.
struct Callback: Sendable {
  // What it points to is made for several threads.
  private nonisolated(unsafe) let reference: plugin_thunk_reference_t
  /// What C calls.
  let function: promise_function_t

  /// `nil` if there is none, for want of memory.
  init?(_ reference: plugin_thunk_reference_t) {
    guard let thunk = reference.thunk else { return nil }
    self.reference = reference
    function = plugin_thunk_function(thunk)
  }

  /// Ends it: what it runs is released, once nobody is in it. Later calls are reported, unless those who make them cannot
  /// know that it has ended.
  func end(quietly: Bool) { plugin_thunk_end(reference, quietly) }
}

/// What one callback runs. It is released when the callback has ended and the last call in it has returned.
final class CallbackBody: Sendable {
  /// The addresses of the arguments as C has them, and that of the result, which is zeroed.
  typealias Action =
    @Sendable (_ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer) throws -> Void

  private let source: CallbackSource
  private let action: Action
  private let failed: @Sendable (any Error) -> Void
  private let ended: @Sendable () -> Void

  /// - Parameters:
  ///   - failed: is told what the action throws.
  ///   - ended: runs once, when nothing can run the action any more.
  init(
    _ source: CallbackSource, _ action: @escaping Action, failed: @escaping @Sendable (any Error) -> Void,
    ended: @escaping @Sendable () -> Void
  ) {
    self.source = source
    self.action = action
    self.failed = failed
    self.ended = ended
  }

  deinit { ended() }

  func run(_ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer) {
    do {
      try action(arguments, result)
    } catch {
      failed(error)
    }
  }

  /// It was left by an exception.
  func fail(_ fault: EdgeFault) { failed(fault.error(source.function, of: "the callback '\(source.parameter)' ")) }
}

/// What is wrong with a call of a callback, as an error. A class, so that a fault stays a word.
final class CallbackFault: Sendable {
  let error: PluginError
  init(_ error: PluginError) { self.error = error }
}
