@preconcurrency import CFFI
import CPluginEdge
import Synchronization

/// Makes the callbacks for one parameter of a function.
///
/// It lives as long as the process, like the C function pointers that it makes: a late call must find the function to
/// report.
final class CallbackSource: Sendable {
  let type: CallbackType
  let conversion: CallbackConversion
  /// The parameter's name.
  let parameter: String
  /// The qualified name, "org.example.table.walk".
  let function: String
  /// The plugin's id.
  let plugin: String
  private let log: @Sendable (LogLevel, String) -> Void
  // Sound: a pool is thread-safe.
  private nonisolated(unsafe) let pool: OpaquePointer
  private let lateCalls = Atomic<Int>(0)

  /// Makes the source of a parameter; `nil` if this machine cannot make such a callback, or memory has run out.
  init?(
    _ type: CallbackType, of parameter: String, in function: String, plugin: String,
    log: @escaping @Sendable (LogLevel, String) -> Void
  ) {
    guard let conversion = CallbackConversion(type), let interface = conversion.makeInterface() else { return nil }
    let origin = UnsafeMutablePointer<Unmanaged<CallbackSource>>.allocate(capacity: 1)
    let context = type.contextIndex.map { Int32($0) } ?? -1
    guard let pool = plugin_thunk_pool_new(interface, context, Self.behaviour, origin, 0) else { return nil }
    self.type = type
    self.conversion = conversion
    self.parameter = parameter
    self.function = function
    self.plugin = plugin
    self.log = log
    self.pool = pool
    origin.initialize(to: .passRetained(self))
  }

  /// Makes a C function pointer that runs a body; `nil` if memory has run out. A callback with a context parameter must
  /// be called with `context`.
  func make(_ body: CallbackBody, _ context: UInt) -> Callback? {
    let retained = Unmanaged.passRetained(body)
    let reference = plugin_thunk_take(
      pool, retained.toOpaque(), UnsafeRawPointer(bitPattern: context), type.scope == .once)
    guard let callback = Callback(reference) else {
      retained.release()
      return nil
    }
    return callback
  }

  /// Returns the error for arguments that do not match the signature.
  func misuse(_ mismatch: ArgumentMismatch) -> PluginError { .misuse(of: parameter, in: function, mismatch) }

  func report(_ level: LogLevel, _ message: String) {
    log(level, "the callback '\(parameter)' of \(function) \(message)")
  }

  // Initialized once, then only read.
  private nonisolated(unsafe) static let behaviour: UnsafePointer<plugin_thunk_behaviour_t> = {
    let behaviour = UnsafeMutablePointer<plugin_thunk_behaviour_t>.allocate(capacity: 1)
    behaviour.initialize(
      to: plugin_thunk_behaviour_t(
        run: { CallbackSource.body($0).run($1, $2) },
        fail: { CallbackSource.body($0).fail(EdgeFault(takingOver: &$1.pointee)) },
        free: { Unmanaged<CallbackBody>.fromOpaque($0).release() },
        late: { origin, why in
          guard let origin else { return }
          origin.load(as: Unmanaged<CallbackSource>.self).takeUnretainedValue().reportLate(why)
        }))
    return UnsafePointer(behaviour)
  }()

  private static func body(_ pointer: UnsafeMutableRawPointer) -> CallbackBody {
    Unmanaged<CallbackBody>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Logs the first late call, the second, the fourth and so on, so that a misbehaving plugin does not fill the log.
  private func reportLate(_ why: plugin_thunk_late_t) {
    let count = lateCalls.wrappingAdd(1, ordering: .relaxed).newValue
    guard count & (count - 1) == 0 else { return }
    let message =
      switch why {
      case plugin_thunk_late_t(PLUGIN_THUNK_CALLED_TWICE): "was called a second time, expected once"
      case plugin_thunk_late_t(PLUGIN_THUNK_WRONG_CONTEXT):
        "was called with another context than the one that was passed with it"
      default: "was called after \(type.scope.end)"
      }
    report(.warning, "\(message): the call did nothing" + (count == 1 ? "" : " (\(count) such calls so far)"))
  }
}

extension PluginError {
  /// Returns the error of a function that called a callback with arguments that do not match the signature.
  static func misuse(of callback: String, in function: String, _ mismatch: ArgumentMismatch) -> PluginError {
    PluginError(
      .badResult, function,
      "called the callback '\(callback)' with a value that does not suit its signature: \(mismatch.path) "
        + mismatch.message)
  }
}

extension CallbackType.Scope {
  /// The event that ended the scope, for the report of a late call.
  fileprivate var end: String {
    switch self {
    case .call: "the function that it was given to had returned, which is the end of @call"
    case .once: "its call was over, or the plugin was unloaded, which is the end of @once"
    case .settled: "the promise was settled, which is the end of @settled"
    case .forever: "the plugin was unloaded, which is the end of @forever"
    }
  }
}
