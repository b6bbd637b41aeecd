import CPromise

/// Settles a promise that it creates: the plugin calls into the library too.
private let answer: @convention(c) () -> OpaquePointer? = {
  let promise = promise_new()
  var value = promise_value_t()
  value.kind = UInt32(PROMISE_KIND_I64)
  value.as.i64 = 42
  guard promise_resolve(promise, &value) == PROMISE_OK else { return nil }
  return promise
}

private let functions = UnsafeMutablePointer<promise_plugin_function_t>.allocate(capacity: 1)
private let plugin = UnsafeMutablePointer<promise_plugin_t>.allocate(capacity: 1)

/// Returns the table of functions, as a plugin of the C ABI does.
@_cdecl("promise_plugin_entry")
public func entry(host: UInt32) -> UnsafePointer<promise_plugin_t>? {
  functions.initialize(
    to: promise_plugin_function_t(
      signature: text("answer() -> promise<i64>"), entry: unsafeBitCast(answer, to: promise_function_t.self),
      description: text("42.")))
  plugin.initialize(
    to: promise_plugin_t(
      size: UInt32(MemoryLayout<promise_plugin_t>.size), abi_min: 1, abi_max: UInt32(PROMISE_ABI_VERSION),
      function_size: UInt32(MemoryLayout<promise_plugin_function_t>.size), id: text("org.example.swift"),
      version: text("1.0.0"), description: nil, required: nil, load: nil, unload: nil, functions: functions,
      function_count: 1, layouts: nil, layout_count: 0))
  return UnsafePointer(plugin)
}

/// Returns a C string that is never freed.
private func text(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
