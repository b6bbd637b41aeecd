import PluginRuntime
import PromisesTestSupport

extension PluginCallback {
  /// Returns a closure that opens `entered` when it is called, waits for `gate`, then returns a value.
  static func waiting(_ entered: Gate, _ gate: Gate, returning value: PluginValue = .void) -> PluginCallback {
    PluginCallback { _ in
      entered.open()
      gate.wait()
      return value
    }
  }
}
