import PluginRuntime

/// Why a call, or a step, was not fulfilled: the reason of its promise.
enum CallFailure: Error, Equatable, Sendable {
  /// The plugin said so, or the host on its behalf, or an input could not be read.
  case rejected(message: String)
  /// It took longer than the seconds it was given.
  case timedOut(seconds: Double)
  /// It never began, because the step of that name was not fulfilled.
  case notRun(because: String)
  /// Its condition did not hold, or it uses the result of a step that was skipped.
  case skipped
  /// The user interrupted it.
  case interrupted
  /// The arguments do not suit the function, which was not called.
  case wrongArguments(message: String)

  /// Makes it of a promise's reason: one of these, or a plugin's value.
  init(reason: Any?) {
    switch reason {
    case let failure as CallFailure: self = failure
    case let error as PluginError where error.kind == .badArgument: self = .wrongArguments(message: error.message)
    // The subject, a function's name, stands before every message anyway.
    case let error as PluginError: self = .rejected(message: error.message)
    case let reason?: self = .rejected(message: "\(reason)")
    case nil: self = .rejected(message: "no reason given")
    }
  }

  /// The exit status of a command for it.
  var status: ExitStatus {
    switch self {
    case .rejected, .notRun, .interrupted, .skipped: .rejected
    case .timedOut: .timedOut
    case .wrongArguments: .usage
    }
  }
}

extension CallFailure: CustomStringConvertible {
  var description: String {
    switch self {
    case .rejected(let message), .wrongArguments(let message): message
    case .timedOut(let seconds): "timed out after \(Self.number(seconds)) s"
    case .notRun(let cause): "not run: \"\(cause)\" was not fulfilled"
    case .interrupted: "interrupted"
    case .skipped: "skipped"
    }
  }

  static func number(_ seconds: Double) -> String {
    seconds == seconds.rounded() && seconds < 1e15 ? String(Int64(seconds)) : "\(seconds)"
  }
}
