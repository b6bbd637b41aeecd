import CPluginEdge
import CPromise

/// Calls the code of plugins. It returns here even if the code is left by an exception or by the end of its thread.
enum CallEdge {
  /// Calls a function. Its result is at `returned`, unless there is a fault.
  @inline(__always)
  static func call(
    _ subject: UnsafePointer<CChar>, _ interface: UnsafeMutableRawPointer, _ entry: @escaping promise_function_t,
    _ returned: UnsafeMutableRawPointer, _ addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> CallFault? {
    var fault = plugin_fault_t()
    let kind = plugin_edge_call(subject, interface, entry, returned, addresses, &fault)
    return kind == PLUGIN_FAULT_NONE ? nil : .left(EdgeFault(takingOver: &fault))
  }

  /// Maps a library. Returns `nil` without a fault if the system's loader refuses it.
  static func map(_ subject: String, _ path: String) -> (UnsafeMutableRawPointer?, EdgeFault?) {
    var fault = plugin_fault_t()
    let handle = plugin_edge_map(subject, path, &fault)
    return (handle, EdgeFault(ifAny: &fault))
  }

  static func entry(
    _ subject: String, _ function: @convention(c) (UInt32) -> UnsafePointer<promise_plugin_t>?, _ hostABI: UInt32
  ) -> (UnsafePointer<promise_plugin_t>?, EdgeFault?) {
    var fault = plugin_fault_t()
    let descriptor = plugin_edge_entry(subject, function, hostABI, &fault)
    return (descriptor, EdgeFault(ifAny: &fault))
  }

  static func load(
    _ subject: String, _ function: PluginDescriptor.Load, _ table: UnsafePointer<promise_host_t>,
    _ error: UnsafeMutablePointer<promise_value_t>
  ) -> (promise_status_t, EdgeFault?) {
    var fault = plugin_fault_t()
    let status = plugin_edge_load(subject, function, table, error, &fault)
    return (status, EdgeFault(ifAny: &fault))
  }

  static func unload(_ subject: String, _ function: PluginDescriptor.Unload) -> EdgeFault? {
    var fault = plugin_fault_t()
    plugin_edge_unload(subject, function, &fault)
    return EdgeFault(ifAny: &fault)
  }
}

/// The way in which plugin code was left, if it did not return.
///
/// A class, so that a successful outcome is trivial to copy.
final class EdgeFault: Sendable {
  let kind: PluginError.Kind
  /// The way in words: "threw std::logic_error: in use".
  let message: String

  /// Takes over the memory of the fault.
  init(takingOver fault: inout plugin_fault_t) {
    let type = fault.type.map { String(cString: $0) }
    let text = fault.message.map { String(cString: $0) }
    switch fault.kind {
    case plugin_fault_kind_t(PLUGIN_FAULT_EXCEPTION):
      kind = .exception(type: type, message: text)
      let name = type ?? "an exception"
      message = text.flatMap { $0.isEmpty ? nil : "threw \(name): \($0)" } ?? "threw \(name)"
    case plugin_fault_kind_t(PLUGIN_FAULT_FOREIGN_EXCEPTION):
      kind = .exception(type: nil, message: nil)
      message = "threw an exception of \(type ?? "a language other than C++")"
    default:
      kind = .abandoned
      message = "tried to end its thread, which is the host's: with pthread_exit(), or by being cancelled"
    }
    plugin_fault_free(&fault)
  }

  convenience init?(ifAny fault: inout plugin_fault_t) {
    guard fault.kind != PLUGIN_FAULT_NONE else { return nil }
    self.init(takingOver: &fault)
  }

  /// Makes the error for a plugin or a function; `code` names the part of its code that was left, with a trailing
  /// space.
  func error(_ subject: String, of code: String = "") -> PluginError {
    PluginError(kind, subject, code + message)
  }
}
