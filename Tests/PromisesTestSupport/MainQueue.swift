import Dispatch

/// Returns when the blocks that were queued on the main queue before have run.
package func mainQueueDrained() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}
