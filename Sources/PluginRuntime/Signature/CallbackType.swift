/// The type of a callback parameter: `fn(done: u64, total: u64) -> bool @call`.
public struct CallbackType: Sendable, Hashable {
  /// The time during which the plugin may call the callback.
  public enum Scope: String, Sendable, Hashable, CaseIterable {
    /// Until the function that got the callback returns.
    case call
    /// Until its first call, at any time while the plugin is loaded.
    case once
    /// Until the promise that the function returns is settled.
    case settled
    /// While the plugin is loaded.
    case forever
  }

  /// The effect of a callback's argument on the promise that the callback settles, in a function whose result is
  /// `promise<T> by` this callback.
  public enum Role: Sendable, Hashable {
    /// `resolve T`: fulfils the promise with the argument.
    case resolve
    /// `reject T`, `reject negative T`: rejects the promise with the argument, if the argument is a failure by this
    /// rule.
    case reject(FailureRule)
  }

  /// One parameter of the callback.
  public struct Parameter: Sendable, Hashable {
    /// The name, for display and for the counts of other parameters; `nil` without one.
    public let name: String?
    /// The type of the argument; of the value behind the address, for `out` and `inout`.
    public let type: ValueType
    /// The direction of the value. `out` and `inout` arguments are addresses that the callback stores through.
    public let direction: PluginRuntime.Parameter.Direction
    /// The argument's effect on the promise; `nil` for none.
    public let role: Role?
  }

  /// The parameters, in C's order.
  public let parameters: [Parameter]
  /// The type of the result; `nil` for void.
  public let result: ValueType?
  /// The time during which the callback may be called.
  public let scope: Scope

  /// The indices of the parameters whose arguments a closure receives. Left out are contexts, counts of others, and
  /// `out` parameters.
  var closureIndices: [Int] {
    let counts = Set(parameters.compactMap(\.type.countName))
    return parameters.indices.filter { index in
      if case .context = parameters[index].type { return false }
      if parameters[index].direction == .output { return false }
      return !counts.contains(parameters[index].name ?? "")
    }
  }

  /// The parameters whose arguments a closure receives: all but contexts, counts of others, and `out` parameters.
  public var closureParameters: [Parameter] { closureIndices.map { parameters[$0] } }

  /// The `out` and `inout` parameters. A closure returns their values as members of an object, after the member
  /// "result" if the callback has a result.
  public var outputs: [Parameter] { parameters.filter { $0.direction != .input } }

  /// The index of the `void *` parameter that passes the callback's context back; `nil` without one.
  public var contextIndex: Int? {
    parameters.firstIndex { if case .context = $0.type { true } else { false } }
  }
}

/// A rule that decides whether a value means failure.
public enum FailureRule: String, Sendable, Hashable, CaseIterable {
  /// The C function returns a promise_status_t; a negative one is a failure, and the function stores an error through
  /// an out parameter.
  case status
  /// -1, of an unsigned integer too, or NULL; errno has the error.
  case errno
  /// The function stores a GError through a `GError **`, its last parameter.
  case gerror
  /// Any result but those that the rule lists: `unless 0 or 100`.
  case unless
  /// A function of the library says that the result is a failure: `if ZSTD_isError(result)`.
  case test = "if"
  /// Nonzero: an error code. The value is not a result: on success it is always 0.
  case nonzero
  /// 0 or false.
  case zero
  /// Less than 0.
  case negative
  /// NULL.
  case null
  /// A message, or an error; NULL is success.
  case nonnull
  /// Every value.
  case always
}
