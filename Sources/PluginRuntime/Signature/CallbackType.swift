/// What a function is given to call: `fn(done: u64, total: u64) -> bool @call`.
public struct CallbackType: Sendable, Hashable {
  /// How long the function may be called.
  public enum Scope: String, Sendable, Hashable, CaseIterable {
    /// Until the function that it is given to returns.
    case call
    /// Once, at any time.
    case once
    /// Until the promise that the function returns is settled.
    case settled
    /// For as long as the plugin is loaded.
    case forever
  }

  /// What an argument of the callback says about the promise that it settles, in a function whose result is
  /// `promise<T> by` this callback.
  public enum Role: Sendable, Hashable {
    /// `resolve T`: the promise is fulfilled with it.
    case resolve
    /// `reject T`, `reject negative T`: the promise is rejected with it where it is a failure by this rule.
    case reject(FailureRule)
  }

  /// One parameter of the callback.
  public struct Parameter: Sendable, Hashable {
    /// For people, and for the counts of others; `nil` if it has none.
    public let name: String?
    /// What it takes.
    public let type: ValueType
    /// What it says about a promise, if anything.
    public let role: Role?
  }

  /// What it is called with, in order.
  public let parameters: [Parameter]
  /// What it returns; `nil` for nothing.
  public let result: ValueType?
  /// How long it may be called.
  public let scope: Scope

  /// Which parameter is the `void *` that the caller hands back; `nil` if there is none.
  public var contextIndex: Int? {
    parameters.firstIndex { if case .context = $0.type { true } else { false } }
  }
}

/// When a value means that a function failed.
public enum FailureRule: String, Sendable, Hashable, CaseIterable {
  /// The C function returns a promise_status_t; negative is failure, and it fills an error by an out parameter.
  case status
  /// It returns -1 or NULL; errno says why.
  case errno
  /// It is not 0: a code, which then is no result.
  case nonzero
  /// It is 0, or false.
  case zero
  /// It is less than 0.
  case negative
  /// It is NULL.
  case null
  /// It is not NULL: a message, or an error.
  case nonnull
  /// Whatever it is.
  case always
}
