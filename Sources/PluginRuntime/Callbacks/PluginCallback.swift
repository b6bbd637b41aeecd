import CPromise

/// What a caller gives for a parameter that is a callback: `fn(T, ...) -> T`.
///
///     host.call("walk", of: "org.example.tree", [.value(.string("/tmp")), .callback { arguments in
///       print(arguments[0])
///       return .bool(true)
///     }])
///
/// It is called on the thread of whoever calls the C function, several at a time if the plugin does that, and its
/// arguments are copies. The values that it is called with leave out the context; what it returns is what the
/// signature's `-> T` takes, `.void` if there is none. An error that it throws gives C a result of zeros and rejects the
/// call that it was given to, if that is not over.
///
/// When the callback's scope ends, the closure is released. A call that comes later runs nothing and is logged.
public struct PluginCallback: Sendable {
  /// What is run with values as C has them.
  ///
  /// - Parameters:
  ///   - arguments: borrowed until it returns.
  ///   - result: VOID at first; becomes the value, or the reason of a rejection: a reference that it gives away.
  /// - Returns: PROMISE_FULFILLED or PROMISE_REJECTED.
  public typealias Binary =
    @Sendable (
      _ arguments: UnsafePointer<promise_value_t>, _ count: Int, _ result: UnsafeMutablePointer<promise_value_t>
    )
    -> promise_state_t

  enum Body {
    case values(@Sendable ([PluginValue]) throws -> PluginValue)
    case binary(Binary)
  }

  let body: Body

  /// A callback that runs a closure.
  public init(_ body: @escaping @Sendable ([PluginValue]) throws -> PluginValue) { self.body = .values(body) }

  /// A callback for those to whom every nanosecond counts: for scalars nothing is allocated.
  public init(binary body: @escaping Binary) { self.body = .binary(body) }
}

extension PluginCallback {
  private final class Box: Sendable {
    let callback: PluginCallback
    init(_ callback: PluginCallback) { self.callback = callback }
  }

  /// `nil` for want of memory.
  private nonisolated(unsafe) static let type = promise_type_register(
    "promise.plugin-callback", nil, { Unmanaged<Box>.fromOpaque($0!).release() })

  /// The callback as a value of C, for calls with binary arguments (`PluginFunction`): a reference of the caller's; `nil`
  /// for want of memory.
  public var wrapped: promise_value_t? {
    // With no type the payload would stay ours.
    guard let type = Self.type else { return nil }
    var value = promise_value_t()
    let box = Unmanaged.passRetained(Box(self)).toOpaque()
    return promise_value_object(&value, type, box) == PROMISE_OK ? value : nil
  }

  /// The callback that a value of C is; `nil` if it is none.
  init?(_ value: UnsafePointer<promise_value_t>) {
    guard value.pointee.kind == promise_kind_t(PROMISE_KIND_OBJECT), promise_value_is(value, Self.type),
      let box = promise_value_data(value, nil)
    else { return nil }
    self = Unmanaged<Box>.fromOpaque(UnsafeRawPointer(box)).takeUnretainedValue().callback
  }
}
