import Dispatch

/// Returns when what was queued on the main queue before has run.
package func mainQueueDrained() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.main.async { continuation.resume() }
  }
}
