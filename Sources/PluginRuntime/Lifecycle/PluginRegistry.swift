import Promises
import Synchronization

/// The plugins of a host, by id and in the order in which they were loaded.
final class PluginRegistry: Sendable {
  private struct State {
    var byID: [String: LoadedPlugin] = [:]
    var order: [LoadedPlugin] = []
    /// Plugins whose code runs in other processes.
    var remote: [String: any RemotePlugin] = [:]
    /// All of them, in the order in which they were loaded.
    var descriptions: [PluginDescription] = []
  }

  private let state = Mutex(State())

  subscript(id: String) -> LoadedPlugin? { state.withLock { $0.byID[id] } }
  var all: [LoadedPlugin] { state.withLock(\.order) }

  /// The plugin that was loaded from this file. A library that was adopted may be a plugin besides.
  func plugin(of file: FileIdentity) -> LoadedPlugin? {
    all.first { $0.description.adoption == nil && $0.file.isSameFile(as: file) }
  }

  func add(_ plugin: LoadedPlugin) {
    state.withLock { state in
      state.byID[plugin.description.id] = plugin
      state.order.append(plugin)
      state.descriptions.append(plugin.description)
    }
  }

  var descriptions: [PluginDescription] { state.withLock(\.descriptions) }
  func description(of id: String) -> PluginDescription? { descriptions.first { $0.id == id } }

  /// The plugin of that id, if it runs in another process.
  func remote(_ id: String) -> (any RemotePlugin)? { state.withLock { $0.remote[id] } }
  var remotes: [any RemotePlugin] {
    state.withLock { state in state.descriptions.compactMap { state.remote[$0.id] } }
  }

  func add(_ plugin: any RemotePlugin) {
    state.withLock { state in
      state.remote[plugin.description.id] = plugin
      state.descriptions.append(plugin.description)
    }
  }
}

/// A plugin whose code runs in another process.
protocol RemotePlugin: Sendable {
  var description: PluginDescription { get }

  /// Calls a function, as `Host.call` does.
  func call(
    _ function: String, _ arguments: [Argument], progress: (@Sendable (ProgressReport) -> Void)?
  ) -> Promise<PluginValue>

  /// Ends the plugin, at the deadline by force.
  func unload(deadline: Duration)
}

/// The files whose load() some host of this process has called: a plugin has one host.
enum ClaimedFiles {
  private struct Key: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  private static let files = Mutex<Set<Key>>([])

  static func claim(_ file: FileIdentity) -> Bool {
    files.withLock { $0.insert(Key(device: file.device, inode: file.inode)).inserted }
  }

  static func release(_ file: FileIdentity) {
    files.withLock { _ = $0.remove(Key(device: file.device, inode: file.inode)) }
  }
}
