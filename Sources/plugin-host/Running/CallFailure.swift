/// Why a call, or a step, was not fulfilled: the reason of its promise.
enum CallFailure: Error, Equatable, Sendable {
  /// The plugin said so, or the host on its behalf.
  case rejected(message: String)
  /// It took longer than the seconds it was given.
  case timedOut(seconds: Double)
  /// It never began, because the step of that name was not fulfilled.
  case notRun(because: String)
  /// The user interrupted it.
  case interrupted

  /// The reason of some promise: one of these, or what a plugin gave.
  init(reason: Any?) {
    self = reason as? CallFailure ?? .rejected(message: Self.text(of: reason))
  }

  private static func text(of reason: Any?) -> String {
    switch reason {
    case nil: "no reason given"
    case let reason?: "\(reason)"
    }
  }
}

extension CallFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .rejected(let message): message
    case .timedOut(let seconds): "timed out after \(Self.number(seconds)) s"
    case .notRun(let cause): "not run: \"\(cause)\" was not fulfilled"
    case .interrupted: "interrupted"
    }
  }

  private static func number(_ seconds: Double) -> String {
    seconds == seconds.rounded() && seconds < 1e15 ? String(Int64(seconds)) : "\(seconds)"
  }
}
