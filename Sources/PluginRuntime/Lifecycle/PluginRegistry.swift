import Promises
import Synchronization

/// The plugins of a host, by id and in the order in which they were loaded.
final class PluginRegistry: Sendable {
  private struct State {
    var byID: [String: LoadedPlugin] = [:]
    var order: [LoadedPlugin] = []
    /// Plugins whose code runs in other processes.
    var remote: [String: any RemotePlugin] = [:]
    /// All plugins, in the order in which they were loaded.
    var all: [Entry] = []
  }

  private enum Entry {
    case here(LoadedPlugin)
    /// Its description changes when it is reloaded.
    case remote(any RemotePlugin)

    var description: PluginDescription {
      switch self {
      case .here(let plugin): plugin.description
      case .remote(let plugin): plugin.description
      }
    }
  }

  private let state = Mutex(State())

  subscript(id: String) -> LoadedPlugin? { state.withLock { $0.byID[id] } }
  var all: [LoadedPlugin] { state.withLock(\.order) }

  /// Returns the plugin that was loaded from this file. An adopted library may be loaded as a plugin too.
  func plugin(of file: FileIdentity) -> LoadedPlugin? {
    all.first { $0.description.adoption == nil && $0.file.isSameFile(as: file) }
  }

  func add(_ plugin: LoadedPlugin) {
    state.withLock { state in
      state.byID[plugin.description.id] = plugin
      state.order.append(plugin)
      state.all.append(.here(plugin))
    }
  }

  var descriptions: [PluginDescription] { state.withLock(\.all).map(\.description) }
  func description(of id: String) -> PluginDescription? { descriptions.first { $0.id == id } }

  /// Returns the plugin with that id if it runs in another process.
  func remote(_ id: String) -> (any RemotePlugin)? { state.withLock { $0.remote[id] } }
  var remotes: [any RemotePlugin] {
    state.withLock(\.all).compactMap { if case .remote(let plugin) = $0 { plugin } else { nil } }
  }

  func add(_ plugin: any RemotePlugin) {
    state.withLock { state in
      state.remote[plugin.description.id] = plugin
      state.all.append(.remote(plugin))
    }
  }

  /// Removes a plugin that runs in other processes.
  func removeRemote(_ id: String) -> (any RemotePlugin)? {
    state.withLock { state in
      guard let plugin = state.remote.removeValue(forKey: id) else { return nil }
      state.all.removeAll { if case .remote(let other) = $0 { other === plugin } else { false } }
      return plugin
    }
  }
}

/// A plugin whose code runs in another process.
protocol RemotePlugin: AnyObject, Sendable {
  var description: PluginDescription { get }
  /// The paths of the files that it is made of, which may lead over symbolic links.
  var files: [String] { get }

  /// Calls a function, as `Host.call` does. `use` ends with the call, or with its promise.
  func call(
    _ function: String, _ arguments: [Argument], use: CallUse, progress: (@Sendable (ProgressReport) -> Void)?
  ) -> Promise<PluginValue>

  /// Loads the plugin's file again, beside the code that is loaded, for new calls.
  func reload(adopting: Adoption?, deadline: Duration) throws(PluginError) -> PluginDescription

  /// Ends the plugin; kills its processes at the deadline.
  func unload(deadline: Duration)
}

/// The files whose load() was called by a host in this process. A plugin belongs to one host.
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
