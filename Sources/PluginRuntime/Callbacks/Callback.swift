import CPluginEdge
import CPromise

/// The owner's reference to a live callback. The callback may end before its owner ends it; the C function pointer
/// stays callable forever.
struct Callback: Sendable {
  // Sound: the target is thread-safe.
  private nonisolated(unsafe) let reference: plugin_thunk_reference_t
  /// The function that C calls.
  let function: promise_function_t

  /// Takes over a reference; `nil` if it is empty because memory has run out.
  init?(_ reference: plugin_thunk_reference_t) {
    guard let thunk = reference.thunk else { return nil }
    self.reference = reference
    function = plugin_thunk_function(thunk)
  }

  /// Ends the callback. Its body is released when no thread is running it. Later calls are reported, unless `quietly`,
  /// for callers that cannot know that the callback has ended.
  func end(quietly: Bool) { plugin_thunk_end(reference, quietly) }
}

/// The body of a callback. Released when the callback has ended and its last running call has returned.
final class CallbackBody: Sendable {
  /// Receives the addresses of the C arguments, and that of the result, which is zeroed.
  typealias Action =
    @Sendable (_ arguments: UnsafePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer) throws -> Void

  private let source: CallbackSource
  private let action: Action
  private let failed: @Sendable (any Error) -> Void
  private let ended: @Sendable () -> Void

  /// Creates a body.
  ///
  /// - Parameters:
  ///   - failed: receives the errors that the action throws.
  ///   - ended: runs once, when the action can no longer run.
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

  /// Reports that an exception left the body.
  func fail(_ fault: EdgeFault) { failed(fault.error(source.function, of: "the callback '\(source.parameter)' ")) }
}
