import PluginRuntime
import Promises

/// The reason why a call or a step failed: the rejection reason of its promise.
enum CallFailure: Error, Equatable, Sendable {
  /// Rejected by the plugin, by the host on its behalf, or because an input could not be read.
  case rejected(message: String, reason: RejectedReason? = nil)
  /// The call, or that for an element or event of a step, was not settled within that number of seconds.
  case timedOut(seconds: Double, element: Int? = nil)
  /// Never started, because the step of that name was not fulfilled.
  case notRun(because: String)
  /// Skipped: the condition did not hold, or the step uses the result of a skipped step.
  case skipped
  /// Interrupted by the user.
  case interrupted
  /// The arguments do not suit the function, which was not called.
  case wrongArguments(message: String)

  /// Makes the failure from a promise's reason: a `CallFailure`, or a plugin's value.
  init(reason: Any?) {
    switch reason {
    case let failure as CallFailure: self = failure
    case let error as PluginError where error.kind == .badArgument: self = .wrongArguments(message: error.message)
    // Without the subject, because the printed line begins with the function's name.
    case let error as PluginError:
      self = .rejected(message: error.message, reason: error.causes.isEmpty ? nil : .causes(error.causes))
    case let error as PromiseError: self = .rejected(message: "\(error)", reason: .error(error))
    case let error as any Error: self = .rejected(message: "\(error)")
    case let reason? where !(reason is Discarded): self = Self.rejected(with: PluginValue(reason: reason))
    case let reason?: self = .rejected(message: "\(reason)")
    case nil: self = .rejected(message: "no reason given")
    }
  }

  private static func rejected(with value: PluginValue) -> CallFailure {
    let value = ResultShape.any.printed(value.redacted)
    let message = if case .string(let text) = value { text } else { value.json }
    return .rejected(message: message, reason: .value(value))
  }

  /// Returns the failure of the call, with `facts` for programs.
  ///
  /// - Parameter place: the beginning of the printed line, such as `digest.sha256`.
  func failure(at place: String, facts: FailureFacts) -> Failure {
    var facts = facts
    if case .rejected(_, let reason) = self { facts.reason = reason }
    return Failure(status, lines: ["plugin-host: \(place): \(self)".displayLine], facts: facts)
  }

  /// The exit status of a command that ends with this failure.
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
    case .rejected(let message, _), .wrongArguments(let message): message
    case .timedOut(let seconds, let element):
      (element.map(Self.place(ofElement:)) ?? "") + "timed out after \(Self.number(seconds)) s"
    case .notRun(let cause): "not run: \"\(cause)\" was not fulfilled"
    case .interrupted: "interrupted"
    case .skipped: "skipped"
    }
  }

  static func place(ofElement index: Int) -> String { "[\(index)]: " }

  /// Returns a number of seconds as text, without the digits that a calculation left behind the microseconds.
  static func number(_ seconds: Double) -> String {
    if seconds == seconds.rounded(), seconds < 1e15 { return String(Int64(seconds)) }
    return "\(1e-3..<1e9 ~= seconds ? (seconds * 1e6).rounded() / 1e6 : seconds)"
  }
}
