// The qualities of service are the priorities of the engine's pool, which is shared with C. The pool adds threads when
// work blocks its threads; libdispatch on Linux takes most of a second per blocked thread to do so.
extension PoolPriority: CustomStringConvertible {
  /// The pool's executor for the priority.
  var executor: CellExecutor {
    guard let executor = CellExecutor.global(self) else { fatalError("no memory for an executor") }
    return executor
  }

  /// The name of the context in source code.
  package var description: String {
    switch self {
    case .background: "background"
    case .utility: "utility"
    case .standard: "default"
    case .userInitiated: "userInitiated"
    case .userInteractive: "userInteractive"
    }
  }
}
