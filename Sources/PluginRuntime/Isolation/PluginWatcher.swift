import CPluginEdge
import Glibc
import Synchronization

/// Watches the files of a host's plugins in worker processes, and reloads those that change.
///
///     let watcher = try PluginWatcher(host) { plugin, outcome in print(plugin, outcome) }
///
/// A file is changed by writing to it, or by renaming another file to its path. Workers have mapped a sealed copy, so
/// writes do not disturb them; files of the system are not copied, so rename to their paths. A symbolic link that is
/// changed is not noticed: the path that it led to is watched. Reloads begin once no file changes any more.
public final class PluginWatcher: Sendable {
  /// Receives the outcome of each reload, on the thread of the watcher.
  public typealias Report =
    @Sendable (_ plugin: String, _ outcome: Result<PluginDescription, PluginError>) -> Void

  private let host: Host
  private let report: Report
  private let inotify: Int32
  private let wakeup: Int32
  private let isOver = Atomic<Bool>(false)

  /// The time for which no file may change before the plugins are reloaded.
  private static let quiet: Int32 = 50

  /// Watches the plugins that are loaded now.
  ///
  /// - Throws: `PluginError` if the system has no more watches, descriptors or threads.
  public init(_ host: Host, report: @escaping Report) throws(PluginError) {
    self.host = host
    self.report = report
    inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    let code = errno
    wakeup = inotify < 0 ? -1 : plugin_process_new_event()
    guard inotify >= 0 else {
      // EMFILE may mean the limit on descriptors or the limit on inotify instances.
      throw PluginError(
        .notReadable, "plugin-watcher",
        "cannot watch files: \(SystemLimit.text(code)), and inotify has fs.inotify.max_user_instances for each user")
    }
    guard wakeup >= 0 else {
      throw PluginError(.notReadable, "plugin-watcher", "cannot make its descriptor: \(SystemLimit.descriptors)")
    }
    for folder in Set(host.isolatedPlugins.map { Self.split($0.path).folder }) {
      guard inotify_add_watch(inotify, folder, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)) >= 0 else {
        throw PluginError(.notReadable, folder, "cannot be watched: \(SystemLimit.text(errno))")
      }
    }
    guard ProcessGuard.startThread({ [self] in run() }) else {
      throw PluginError(.notReadable, "plugin-watcher", "cannot start its thread: \(SystemLimit.tasks)")
    }
  }

  deinit { for descriptor in [inotify, wakeup] where descriptor >= 0 { close(descriptor) } }

  /// Stops watching. A reload that is under way is finished.
  public func stop() {
    isOver.store(true, ordering: .releasing)
    var one: UInt64 = 1
    _ = write(wakeup, &one, 8)
  }

  private func run() {
    var changed: Set<String> = []
    while !isOver.load(ordering: .acquiring) {
      var waits = [
        pollfd(fd: inotify, events: Int16(POLLIN), revents: 0), pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
      ]
      let count = plugin_poll(&waits, 2, changed.isEmpty ? -1 : Self.quiet)
      if count > 0 { changed.formUnion(names()) }
      guard count == 0 else { continue }
      // Compares the name alone: a change of that name in another folder causes a needless reload.
      for plugin in host.isolatedPlugins where changed.contains(Self.split(plugin.path).name) { reload(plugin.id) }
      changed = []
    }
  }

  private func reload(_ plugin: String) {
    do throws(PluginError) {
      report(plugin, .success(try host.reload(plugin)))
    } catch {
      report(plugin, .failure(error))
    }
  }

  /// Returns the names of the files that have changed.
  private func names() -> Set<String> {
    var names: Set<String> = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(inotify, &buffer, buffer.count)
      guard count > 0 else { return names }
      var offset = 0
      let header = MemoryLayout<inotify_event>.size
      while offset + header <= count {
        let length = buffer.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)) }
        let name = buffer[(offset + header)..<min(count, offset + header + length)].prefix { $0 != 0 }
        names.insert(String(decoding: name, as: UTF8.self))
        offset += header + length
      }
    }
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}
