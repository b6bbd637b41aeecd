import CPluginEdge
import CPromise

/// The table of functions that a plugin gets, with the plugin behind it: each function receives the table and so knows
/// who calls.
///
/// C may pass NULL wherever it should not, so the functions are declared with nullable pointers, which is the same to
/// the machine.
enum HostTable {
  private typealias Table = UnsafePointer<promise_host_t>?
  private typealias Text = UnsafePointer<CChar>?

  /// Allocates a table and the reference behind it. Never freed: the table is valid until the process ends.
  static func make() -> UnsafeMutablePointer<promise_host_t> {
    let size = MemoryLayout<promise_host_t>.stride + MemoryLayout<Unmanaged<LoadedPlugin>>.stride
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<promise_host_t>.alignment)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    return memory.assumingMemoryBound(to: promise_host_t.self)
  }

  static func fill(_ table: UnsafeMutablePointer<promise_host_t>, for plugin: LoadedPlugin) {
    table.pointee.size = UInt32(MemoryLayout<promise_host_t>.size)
    table.pointee.abi = PluginDescriptor.hostABI
    table.pointee.log = cast(log)
    table.pointee.progress = cast(progress)
    table.pointee.call = cast(call)
    table.pointee.allocate = cast(allocate)
    table.pointee.deallocate = cast(deallocate)
    table.pointee.configuration = cast(configuration)
    table.pointee.function = plugin_promise_function
    UnsafeMutableRawPointer(table + 1).storeBytes(of: Unmanaged.passRetained(plugin), as: Unmanaged<LoadedPlugin>.self)
  }

  /// Returns the function with the header's nullability.
  private static func cast<From, To>(_ function: From) -> To { unsafeBitCast(function, to: To.self) }

  private static func plugin(_ table: Table) -> LoadedPlugin? {
    guard let table else { return nil }
    return UnsafeRawPointer(table + 1).load(as: Unmanaged<LoadedPlugin>.self).takeUnretainedValue()
  }

  private static let log: @convention(c) (Table, promise_log_level_t, Text) -> Void = { table, level, message in
    guard !plugin_process_is_child_of_worker(), let plugin = HostTable.plugin(table), let message else { return }
    // An unknown level is replaced by the nearest known one.
    let known =
      LogLevel(
        rawValue: min(max(level, promise_log_level_t(PROMISE_LOG_DEBUG)), promise_log_level_t(PROMISE_LOG_ERROR)))
      ?? .error
    plugin.host.options.log(known, plugin.description.id, String(cString: message))
  }

  private static let progress: @convention(c) (Table, OpaquePointer?, Double, Text) -> Void = {
    table, promise, fraction, message in
    guard !plugin_process_is_child_of_worker(), let plugin = HostTable.plugin(table), let promise else { return }
    let progress = Progress(fraction: fraction, message: message.map { String(cString: $0) })
    for call in plugin.calls.calls(for: UInt(bitPattern: promise), progress) { call.report(progress) }
  }

  private static let call: @convention(c) (Table, Text, Text, UnsafePointer<promise_value_t>?, Int) -> OpaquePointer? =
    {
      table, id, function, arguments, count in
      guard let plugin = HostTable.plugin(table) else { return nil }
      guard !plugin_process_is_child_of_worker() else { return Host.rejected(.inChild(plugin.description.id)) }
      guard let id, let function, arguments != nil || count == 0, count >= 0 else {
        let expected = "expected the ids of a plugin and a function, and the arguments"
        return Host.rejected(
          PluginError(.badArgument, plugin.description.id, "calls another plugin with NULL, \(expected)"))
      }
      return plugin.host.call(String(cString: function), of: String(cString: id), arguments, count)
    }

  private static let allocate: @convention(c) (Table, Int) -> UnsafeMutableRawPointer? = { HostMemory.allocate($1) }

  private static let deallocate: @convention(c) (Table, UnsafeMutableRawPointer?) -> Void = { HostMemory.free($1) }

  private static let configuration: @convention(c) (Table, Text) -> Text = { table, key in
    guard let plugin = HostTable.plugin(table), let key else { return nil }
    return plugin.configuration[String(cString: key)]
  }
}
