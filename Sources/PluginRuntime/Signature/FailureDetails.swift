/// Details of a failure rule: success codes, the call that decides on failure, the call that returns a failure's
/// message, the function that frees an error.
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

  /// A call of a function of the library, made right after the function has returned: `if ZSTD_isError(result)`.
  public struct Test: Sendable, Hashable {
    /// The call, with arguments as those of a message.
    public let call: Message
    /// The type of its result. A result that is not 0 means failure.
    public let type: ScalarType
  }

  /// The results that mean success, for `! unless`.
  public internal(set) var successes: [Int64] = []
  /// The call that decides on failure, for `! if`; `nil` for other rules.
  public internal(set) var test: Test?
  /// The function that frees the error of `! gerror`; `nil` for other rules.
  public internal(set) var release: String?
  /// The call that returns the message; `nil` without one.
  public internal(set) var message: Message?

  /// The function that frees a GError unless the signature names another one.
  static let releaseOfGLib = "g_error_free"
}

extension FailureDetails.Message: CustomStringConvertible {
  /// The call as written in a signature: "sqlite3_errmsg(sqlite3_db_handle(statement))".
  public var description: String { text { $0 } }

  /// Returns the call's text, with the names of parameters replaced by `name`.
  fileprivate func text(_ name: (String) -> String) -> String {
    let list = arguments.map { argument in
      switch argument {
      case .parameter(let parameter): name(parameter)
      case .result(let isNegated): isNegated ? "-result" : "result"
      case .call(let call): call.text(name)
      }
    }
    return "\(function)(\(list.joined(separator: ", ")))"
  }
}

extension FailureRule {
  /// Returns the failure mark at the end of a signature, without the message: "!", "! errno", "! unless 0 or 100".
  ///
  /// - Parameter name: replaces the names of parameters.
  func mark(_ details: FailureDetails, _ name: (String) -> String = { $0 }) -> String {
    switch self {
    case .status: return "!"
    case .unless: return "! unless \(details.successes.map(String.init).joined(separator: " or "))"
    case .test:
      let test = details.test.map { "\($0.call.text(name))\($0.type == .i32 ? "" : " -> \($0.type.rawValue)")" }
      return "! if \(test ?? "")"
    case .gerror:
      let release = details.release ?? FailureDetails.releaseOfGLib
      return release == FailureDetails.releaseOfGLib ? "! gerror" : "! gerror(\(release))"
    default: return "! \(rawValue)"
    }
  }
}
