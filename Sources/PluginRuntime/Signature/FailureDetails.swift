/// Details of a failure rule: success codes, the call that returns a failure's message, the function that frees an
/// error.
public struct FailureDetails: Sendable, Hashable {
  /// A call of another function of the library, made on the same thread right after a failure:
  /// `sqlite3_errmsg(db)`.
  public struct Message: Sendable, Hashable {
    /// An argument of the call.
    public indirect enum Argument: Sendable, Hashable {
      /// The value of a parameter of the function that failed; for an `out` parameter, the value that was stored.
      case parameter(String)
      /// `result`, `-result`: the value that the function returned.
      case result(isNegated: Bool)
      /// The address or the number that another function returns: `sqlite3_db_handle(statement)`.
      case call(Message)
    }

    /// The exported name of the function. The outermost returns a `const char *`, static in the library.
    public let function: String
    /// The arguments, in C's order.
    public let arguments: [Argument]
  }

  /// The results that mean success, for `! unless`.
  public internal(set) var successes: [Int64] = []
  /// The function that frees the error of `! gerror`; `nil` for other rules.
  public internal(set) var release: String?
  /// The call that returns the message; `nil` without one.
  public internal(set) var message: Message?

  /// The function that frees a GError unless the signature names another one.
  static let releaseOfGLib = "g_error_free"
}

extension FailureDetails.Message: CustomStringConvertible {
  /// The call as written in a signature: "sqlite3_errmsg(sqlite3_db_handle(statement))".
  public var description: String {
    let list = arguments.map { argument in
      switch argument {
      case .parameter(let name): name
      case .result(let isNegated): isNegated ? "-result" : "result"
      case .call(let call): call.description
      }
    }
    return "\(function)(\(list.joined(separator: ", ")))"
  }
}

extension FailureRule {
  /// Returns the failure mark at the end of a signature, without the message: "!", "! errno", "! unless 0 or 100".
  func mark(_ details: FailureDetails) -> String {
    switch self {
    case .status: return "!"
    case .unless: return "! unless \(details.successes.map(String.init).joined(separator: " or "))"
    case .gerror:
      let release = details.release ?? FailureDetails.releaseOfGLib
      return release == FailureDetails.releaseOfGLib ? "! gerror" : "! gerror(\(release))"
    default: return "! \(rawValue)"
    }
  }
}
