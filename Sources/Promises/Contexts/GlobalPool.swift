// The qualities of service are the priorities of the engine's pool, which C shares: its threads make room for work that
// blocks, where libdispatch on Linux takes most of a second for each blocked thread to do so.
extension PoolPriority: CustomStringConvertible {
  /// The pool's executor for it.
  var executor: CellExecutor {
    guard let executor = CellExecutor.global(self) else { fatalError("no memory for an executor") }
    return executor
  }

  /// The context, as it is written.
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
