import CPromise

/// An argument for a callback parameter, `fn(T, ...) -> T`.
///
///     host.call("walk", of: "org.example.tree", [.value(.string("/tmp")), .callback { arguments in
///       print(arguments[0])
///       return .bool(true)
///     }])
///
/// The closure runs on the thread that calls the C function, concurrently if the plugin calls it so. Its arguments are
/// copies and leave out the context. It returns a value of the signature's `-> T`, or `.void` without one. For a
/// callback with `out` or `inout` arguments it returns an object: "result", if there is one, and their values. If it
/// throws, the plugin gets a result of zeros, and the error rejects the call that got the callback, unless that is
/// over.
///
/// The closure is released when the callback's scope ends. A later call runs no code and is logged.
public struct PluginCallback: Sendable {
  /// A closure that works on values of C.
  ///
  /// - Parameters:
  ///   - arguments: borrowed until it returns.
  ///   - result: initially VOID; set it to the value, or to the reason of a rejection. The reference passes to the
  ///     caller.
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
  /// The scope of the parameter, for a call into a worker.
  var scope = CallbackType.Scope.forever

  /// Creates a callback from a closure.
  public init(_ body: @escaping @Sendable ([PluginValue]) throws -> PluginValue) { self.body = .values(body) }

  /// Creates a callback from a binary closure: scalars are passed without an allocation. Not for callbacks with `out`
  /// or `inout` arguments.
  public init(binary body: @escaping Binary) { self.body = .binary(body) }
}

extension PluginCallback {
  private final class Box: Sendable {
    let callback: PluginCallback
    init(_ callback: PluginCallback) { self.callback = callback }
  }

  /// The type of wrapped callbacks; `nil` if memory has run out.
  private nonisolated(unsafe) static let type = promise_type_register(
    "promise.plugin-callback", nil, { Unmanaged<Box>.fromOpaque($0!).release() })

  /// The callback as a value of C, for calls with binary arguments (`PluginFunction`). The caller owns the reference.
  /// `nil` if memory has run out.
  public var wrapped: promise_value_t? {
    // Without a type the object would not take over the payload.
    guard let type = Self.type else { return nil }
    var value = promise_value_t()
    let box = Unmanaged.passRetained(Box(self)).toOpaque()
    return promise_value_object(&value, type, box) == PROMISE_OK ? value : nil
  }

  /// Unwraps a callback from a value of C; `nil` for other values.
  init?(_ value: UnsafePointer<promise_value_t>) {
    guard value.pointee.kind == promise_kind_t(PROMISE_KIND_OBJECT), promise_value_is(value, Self.type),
      let box = promise_value_data(value, nil)
    else { return nil }
    self = Unmanaged<Box>.fromOpaque(UnsafeRawPointer(box)).takeUnretainedValue().callback
  }
}
