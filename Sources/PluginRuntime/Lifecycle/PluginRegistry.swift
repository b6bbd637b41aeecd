import Synchronization

/// The plugins of a host, by id and in the order in which they were loaded.
final class PluginRegistry: Sendable {
  private struct State {
    var byID: [String: LoadedPlugin] = [:]
    var order: [LoadedPlugin] = []
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
    }
  }
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
