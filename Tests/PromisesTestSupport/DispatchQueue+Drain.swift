import Dispatch

extension DispatchQueue {
  /// Waits for the blocks that are queued, then for the blocks that these enqueue, and so on, `passes` times.
  package func drain(passes: Int = 16) {
    for _ in 0..<passes { sync {} }
  }
}
