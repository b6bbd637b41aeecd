import CPromise
import Promises

// Calls of plugins whose code runs in another process.
extension Host {
  /// Calls a function for a caller in Swift.
  func call(
    _ function: String, of plugin: any RemotePlugin, _ arguments: [Argument],
    _ progress: (@Sendable (ProgressReport) -> Void)?
  ) -> Promise<PluginValue> {
    guard activity.isOpen, let use = CallUse(activity) else {
      return .reject(
        PluginError(
          .closed, "\(plugin.description.id).\(function)", "is not called any more: the host is shutting down"))
    }
    let promise = plugin.call(function, arguments, use: use, progress: progress)
    use.end(with: promise)
    return promise
  }

  /// Calls a function for a plugin of this process. The caller owns the returned reference; `nil` if the called plugin
  /// runs in this process, or is not known.
  func callRemote(
    _ function: String, of plugin: String, _ arguments: UnsafePointer<promise_value_t>?, _ count: Int
  ) -> OpaquePointer? {
    let remote = registry.remote(plugin)
    guard remote != nil || callOtherPlugin != nil && registry[plugin] == nil else { return nil }
    var values: [PluginValue] = []
    for index in 0..<count {
      guard let arguments, let value = try? PluginValue(arguments + index) else {
        let name = arguments?[index].nameOfContent ?? "nothing"
        return Self.rejected(
          PluginError(
            .notIsolated, "\(plugin).\(function)",
            "argument \(index + 1) is \(name), which can be passed only if both plugins are in-process "
              + "(--isolation in-process)"))
      }
      values.append(value)
    }
    if let remote {
      let signature = remote.description.functions.first { $0.name == function }?.signature
      let promise = call(function, of: remote, values.map { .value($0) }, nil)
      return PromiseBridge.discardable(promise, of: signature?.held ?? .value)
    }
    return callOtherPlugin.flatMap { PromiseBridge.discardable($0(function, plugin, values), of: .value) }
  }
}

extension Signature {
  /// The type of the values that fulfil a call; `nil` for void, and for a result with outputs.
  fileprivate var held: ValueType? {
    guard outputs.isEmpty else { return nil }
    if case .promise(let held) = result { return held }
    return yielded
  }
}
