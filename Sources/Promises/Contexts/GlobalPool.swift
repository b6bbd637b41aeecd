import Dispatch

/// The threads of a quality of service.
enum GlobalPool: Int, Sendable, CustomStringConvertible {
  case background, utility, `default`, userInitiated, userInteractive

  /// The engine's executor for it.
  var executor: CellExecutor { Self.executors[rawValue] }

  private static let executors = (0...4).map { index in
    unsafe CellExecutor.making(Context(UnsafeMutableRawPointer(bitPattern: index + 1), nil)) { context, job in
      let job = unsafe PromiseJob(job)
      GlobalPool(rawValue: Int(bitPattern: context) - 1)!.queue.async { job.run() }
    }
  }

  private var queue: DispatchQueue {
    switch self {
    case .background: .global(qos: .background)
    case .utility: .global(qos: .utility)
    case .default: .global(qos: .default)
    case .userInitiated: .global(qos: .userInitiated)
    case .userInteractive: .global(qos: .userInteractive)
    }
  }

  var description: String {
    switch self {
    case .background: "background"
    case .utility: "utility"
    case .default: "default"
    case .userInitiated: "userInitiated"
    case .userInteractive: "userInteractive"
    }
  }
}
