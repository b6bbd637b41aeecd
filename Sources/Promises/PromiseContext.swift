import Dispatch

/// Where a callback runs.
public enum PromiseContext: Sendable {
  /// In the call that settles the promise, or that attaches to a settled one: at once, on that thread.
  case immediate
  /// On the main queue.
  case main
  /// On the global concurrent queue of a quality of service.
  case background, utility, `default`, userInitiated, userInteractive
  /// On a queue of yours.
  case queue(DispatchQueue)

  /// The queue, if there is one.
  var queue: DispatchQueue? {
    switch self {
    case .immediate: nil
    case .main: .main
    case .background: .global(qos: .background)
    case .utility: .global(qos: .utility)
    case .default: .global(qos: .default)
    case .userInitiated: .global(qos: .userInitiated)
    case .userInteractive: .global(qos: .userInteractive)
    case .queue(let queue): queue
    }
  }

  /// Runs `body` there, later; at once for `.immediate`.
  func run(_ body: @escaping () -> Void) {
    guard let queue else { return body() }
    queue.async(execute: DispatchWorkItem(block: body))
  }

  /// Calls `body` with the engine's executor for the context; `nil` for `.immediate`.
  func withExecutor<R>(_ body: (CellExecutor?) -> R) -> R {
    guard let queue else { return body(nil) }
    let context = unsafe Context(Unmanaged.passRetained(queue).toOpaque()) {
      unsafe Unmanaged<DispatchQueue>.fromOpaque($0!).release()
    }
    let executor = unsafe CellExecutor.make(
      { queue, job in
        // A job's token is a number; it crosses as one.
        let job = UInt(bitPattern: job)
        unsafe Unmanaged<DispatchQueue>.fromOpaque(queue!).takeUnretainedValue().async {
          _ = Token(bits: UInt64(job)).cell(.job).map { Job($0).run() }
        }
      }, context)
    guard let executor else { fatalError("no memory for an executor") }
    defer { executor.ref.release() }
    return body(executor)
  }
}
