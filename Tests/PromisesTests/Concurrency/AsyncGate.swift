import Promises

/// Stays closed until it is opened. Waiting suspends the task, even if the task is cancelled.
final class AsyncGate: Sendable {
  private let opened = Promise<Void>()

  func open() { opened.resolve(()) }

  func wait() async {
    await withCheckedContinuation { continuation in opened.then({ continuation.resume() }, nil) }
  }
}
