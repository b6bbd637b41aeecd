import PluginRuntime

extension ValueType {
  func value(of text: String) throws -> PluginValue { .string(text) }
}
