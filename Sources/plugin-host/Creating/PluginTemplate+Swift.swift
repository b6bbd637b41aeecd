extension PluginTemplate {
  static let swift = #"""
    // The plugin NAME.
    import CPromise
    import Glibc

    /// Returns the sum, modulo 2^32.
    private let add: @convention(c) (UInt32, UInt32) -> UInt32 = { $0 &+ $1 }

    /// Returns text of malloc(), which the host frees: `own(free)` in the signature. NULL rejects the call.
    private let greet: @convention(c) (UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar>? = { name in
      strdup("Hello, \(String(cString: name))!")
    }

    /// Fails: `!` in the signature. A negative status rejects the call.
    private let divide:
      @convention(c) (Int64, Int64, UnsafeMutablePointer<Int64>, UnsafeMutablePointer<promise_value_t>) ->
        promise_status_t = { a, b, result, _ in
          let quotient = a.dividedReportingOverflow(by: b)
          if quotient.overflow { return promise_status_t(PROMISE_EINVAL) }
          result.pointee = quotient.partialValue
          return promise_status_t(PROMISE_OK)
        }

    /// Text that stays in memory, as the host expects of all that the descriptor points to.
    private func text(_ text: StaticString) -> UnsafePointer<CChar> {
      UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private func function<Entry>(
      _ signature: StaticString, _ entry: Entry, _ description: StaticString
    ) -> promise_plugin_function_t {
      promise_plugin_function_t(
        signature: text(signature), entry: unsafeBitCast(entry, to: promise_function_t.self),
        description: text(description))
    }

    private nonisolated(unsafe) let descriptor: UnsafePointer<promise_plugin_t> = {
      let functions = [
        function("add(a: u32, b: u32 = 1) -> u32", add, "The sum of two numbers."),
        function("greet(name: cstr = \"world\") -> own(free) cstr", greet, "A greeting."),
        function("divide(a: i64, b: i64) -> i64 !", divide, "The quotient, without its fraction."),
      ]
      // Never freed: the host reads the table as long as the plugin is loaded.
      let table = UnsafeMutablePointer<promise_plugin_function_t>.allocate(capacity: functions.count)
      table.initialize(from: functions, count: functions.count)
      let plugin = promise_plugin_t(
        size: UInt32(MemoryLayout<promise_plugin_t>.size), abi_min: 1, abi_max: UInt32(PROMISE_ABI_VERSION),
        function_size: UInt32(MemoryLayout<promise_plugin_function_t>.stride), id: text("PLUGIN_ID"),
        version: text("0.1.0"), description: text("A new plugin."), required: nil, load: nil, unload: nil,
        functions: UnsafePointer(table), function_count: functions.count, layouts: nil, layout_count: 0)
      let memory = UnsafeMutablePointer<promise_plugin_t>.allocate(capacity: 1)
      memory.initialize(to: plugin)
      return UnsafePointer(memory)
    }()

    @_cdecl("promise_plugin_entry")
    public func pluginEntry(_ hostABI: UInt32) -> UnsafePointer<promise_plugin_t> { descriptor }

    """#
}
