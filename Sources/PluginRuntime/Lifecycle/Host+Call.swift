import CPromise
import Promises

extension Host {
  /// Calls a function. A mistake in the call rejects the promise with a `PluginError`. A rejection by the plugin
  /// arrives as a `PromiseError` for an ERROR, as `Discarded` for a DISCARDED, or as the Swift value that it stands
  /// for.
  ///
  /// Discarding the promise discards the plugin's, or stops the call if it has not begun. A request to cancel it is
  /// passed to the plugin's promise, and discards a call that has not begun.
  ///
  /// - Parameters:
  ///   - context: where the C function runs; with `.immediate`, within this call, which a function that blocks then
  ///     blocks. A plugin with a thread of its own runs there instead (`load(_:on:)`).
  ///   - progress: receives this call's progress, before `Options.progress` does.
  public func call(
    _ name: String, of plugin: String, _ arguments: [Argument] = [], on context: PromiseContext = .immediate,
    progress: (@Sendable (ProgressReport) -> Void)? = nil
  ) -> Promise<PluginValue> {
    if let remote = registry.remote(plugin) { return call(name, of: remote, arguments, progress) }
    do {
      let (loaded, function) = try find(name, of: plugin)
      return call(function, of: loaded, arguments, on: context, progress: progress)
    } catch {
      return .reject(error)
    }
  }

  /// Calls a function of a loaded plugin.
  func call(
    _ function: BoundFunction, of loaded: LoadedPlugin, _ arguments: [Argument],
    on context: PromiseContext = .immediate, progress: (@Sendable (ProgressReport) -> Void)?
  ) -> Promise<PluginValue> {
    let values: ArgumentValues
    do throws(PluginError) {
      values = try resolve(arguments, for: function)
    } catch {
      return .reject(error)
    }
    let call = PluginCall(function, of: loaded, progress: progress)
    let promise = Promise<PluginValue>(discard: { call.discard() })
    call.begin(SwiftDestination(promise, function))
    if loaded.thread != nil {
      loaded.enter(call) { call.runLater(values) }
      return promise
    }
    guard context != .immediate else {
      call.run(values.values, values.count, kept: values)
      return promise
    }
    // A fulfilled promise runs its callback in the context.
    Promise<Void>.resolve(()).then(on: context, { call.runLater(values) }, nil)
    return promise
  }

  /// Calls a function of a plugin without a thread of its own, on this thread. `destination` gets the outcome. `nil` if
  /// the call is not made.
  func call(
    _ function: BoundFunction, of loaded: LoadedPlugin, _ arguments: [Argument],
    settling destination: some CallDestination,
    progress: (@Sendable (ProgressReport) -> Void)?
  ) -> PluginCall? {
    let values: ArgumentValues
    do throws(PluginError) {
      values = try resolve(arguments, for: function)
    } catch {
      destination.reject(with: error)
      return nil
    }
    let call = PluginCall(function, of: loaded, progress: progress)
    call.begin(destination)
    call.run(values.values, values.count, kept: values)
    return call
  }

  private func resolve(
    _ arguments: [Argument], for function: BoundFunction
  ) throws(PluginError) -> ArgumentValues {
    retainedArguments.releaseUnused()
    guard activity.isOpen else { throw PluginCall.closed(function) }
    return try ArgumentValues.resolve(arguments, for: function)
  }

  /// A function, for calls with binary arguments; see `PluginFunction`. Not for a plugin in another process.
  public func function(_ name: String, of plugin: String) throws(PluginError) -> PluginFunction {
    let (plugin, function) = try find(name, of: plugin)
    return PluginFunction(function, on: plugin.thread, retainedArguments)
  }

  func find(_ function: String, of plugin: String) throws(PluginError) -> (LoadedPlugin, BoundFunction) {
    let loaded = try find(plugin)
    return (loaded, try loaded.function(function))
  }

  func find(_ plugin: String) throws(PluginError) -> LoadedPlugin {
    guard let loaded = registry[plugin] else {
      throw PluginError(.unknownPlugin, plugin, "no plugin of this id is loaded")
    }
    return loaded
  }

  /// Calls a function for another plugin. The arguments are borrowed. The caller owns the returned reference; `nil` if
  /// memory has run out.
  func call(
    _ function: String, of plugin: String, _ arguments: UnsafePointer<promise_value_t>?, _ count: Int
  ) -> OpaquePointer? {
    if let promise = callRemote(function, of: plugin, arguments, count) { return promise }
    retainedArguments.releaseUnused()
    do {
      let (plugin, function) = try find(function, of: plugin)
      let call = PluginCall(function, of: plugin, progress: nil)
      let context = Unmanaged.passRetained(call).toOpaque()
      let promise = promise_new_discardable(
        { Unmanaged<PluginCall>.fromOpaque($0!).takeUnretainedValue().discard() }, context,
        { Unmanaged<PluginCall>.fromOpaque($0!).release() })
      guard let promise, promise_retain(promise) == PROMISE_OK else { return nil }
      call.begin(ABIDestination(takingOver: promise))
      if let checked = ArgumentValues.checkingPromises(arguments, count, for: function) {
        plugin.enter(call) { call.runLater(checked) }
      } else if plugin.isElsewhere, let copied = ArgumentValues(copying: arguments, count: count) {
        plugin.enter(call) { call.runLater(copied) }
      } else {
        // On this thread, also for malformed arguments: these are rejected, and the function is not called.
        call.run(arguments, count, kept: nil)
      }
      return promise
    } catch {
      return Self.rejected(error)
    }
  }

  static func rejected(_ error: PluginError) -> OpaquePointer? {
    let promise = promise_new()
    var reason = promise_value_t(error)
    promise_reject(promise, &reason)
    return promise
  }
}
