import PluginRuntime
import Promises

/// The plugin of the benchmarks in a worker process, which is this program once more.
struct Worker {
  private let plugin: IsolatedPlugin

  init(_ library: String) throws {
    let program = WorkerProgram(path: CommandLine.arguments[0])
    plugin = try IsolatedPlugin(loading: library, IsolationOptions(program: program))
  }

  /// Whether the calls return the right results.
  func isRight() -> Bool {
    Self.wait(for: sum).value == .int(42)
  }

  func add() { Self.wait(for: sum) }

  /// Makes `calls` calls, each with the result of the call before it, and waits for the last one.
  func result(of calls: Int) -> PluginValue? {
    var last = plugin.call("first", [.value(.int(0))], timeout: nil)
    for _ in 1..<calls { last = plugin.call("next", [Argument(.promise(last))], timeout: nil) }
    return Self.wait(for: last).value
  }

  /// Whether a chain of `calls` calls returns the right result.
  func isChained(_ calls: Int) -> Bool { result(of: calls) == .int(Int64(calls - 1)) }

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
