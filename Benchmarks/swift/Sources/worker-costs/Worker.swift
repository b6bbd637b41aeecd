import PluginRuntime
import Promises

/// The plugin of the benchmarks in a worker process, which is this program once more.
struct Worker {
  private let plugin: IsolatedPlugin

  init(_ library: String) throws {
    plugin = try IsolatedPlugin(loading: library, IsolationOptions(program: WorkerProgram(path: "/proc/self/exe")))
  }

  /// Whether the calls return the right results.
  func isRight() -> Bool {
    Self.wait(for: sum).value == .int(42)
  }

  func add() { Self.wait(for: sum) }

  private var sum: Promise<PluginValue> { plugin.call("add", [.value(.int(20)), .value(.int(22))], timeout: nil) }

  @discardableResult
  private static func wait(for promise: Promise<PluginValue>) -> Promise<PluginValue> {
    _ = try? promise.future.wait()
    return promise
  }

  /// Calls a function that takes bytes and returns their number.
  func take(_ bytes: Argument.Content) { Self.wait(for: plugin.call("size_of", [Argument(bytes)], timeout: nil)) }

  func end() { plugin.unload() }

  static func startAndEnd(_ library: String) { try? Worker(library).end() }
}
