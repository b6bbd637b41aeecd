import CPluginEdge
import Glibc
import Synchronization

/// Watches the files of a host's plugins in worker processes, and reloads those that change.
///
///     let watcher = try PluginWatcher(host) { plugin, outcome in print(plugin, outcome) }
///
/// A file is changed by writing to it, by renaming another file to its path, or by exchanging a symbolic link or a
/// folder on the path that it was loaded from. While there is no file at the path, nothing is reloaded. The file of an
/// adoption counts too, and so do the libraries that the plugin needs, except the system's. Workers have mapped a
/// sealed copy, so writes do not disturb them; files of the system are not copied, so rename to their paths. Reloads
/// begin once none of these files changes any more, and no process has one of them open for writing.
public final class PluginWatcher: Sendable {
  /// Receives the outcome of each reload, on the thread of the watcher.
  public typealias Report =
    @Sendable (_ plugin: String, _ outcome: Result<PluginDescription, PluginError>) -> Void

  /// Allows the reload of a plugin, on the thread of the watcher: returns the new adoption, or `nil` for that of
  /// before. The error that it throws is reported.
  public typealias Preparation = @Sendable (_ plugin: PluginDescription) throws(PluginError) -> Adoption?

  private let host: Host
  private let prepare: Preparation
  private let report: Report
  private let inotify: Int32
  private let wakeup: Int32
  private let isOver = Atomic<Bool>(false)

  /// The time for which no file of a plugin may change before the plugins are reloaded.
  private static let quiet = Duration.milliseconds(50)

  /// Watches the plugins that are loaded now.
  ///
  /// - Throws: `PluginError` if the system has no more watches, descriptors or threads.
  public init(
    _ host: Host, prepare: @escaping Preparation = { (_) throws(PluginError) in nil }, report: @escaping Report
  ) throws(PluginError) {
    self.host = host
    self.prepare = prepare
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
    var watched = Watched()
    for plugin in host.registry.remotes { watched.loaded[plugin.description.id] = try watch(plugin, &watched) }
    guard ProcessGuard.startThread({ [self, watched] in run(watched) }) else {
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

  /// The entries of the plugins' paths, by id, and the watched folders, by the numbers of their watches.
  private struct Watched {
    var entries: [String: Set<PathEntries.Entry>] = [:]
    /// The files with which each plugin was loaded last. A library that is missing for a time is among them.
    var loaded: [String: [String]] = [:]
    var folders: [Int32: String] = [:]
  }

  /// Returns the paths of a plugin's files, and those of the libraries that it needs.
  private static func files(of plugin: any RemotePlugin) -> [String] {
    plugin.files.flatMap { (try? LibraryAdmission.files(judgedFor: $0)) ?? [$0] }.map(PluginFile.absolute)
  }

  /// Watches the folders of a plugin's paths, as they lead now. Returns the paths of its files.
  private func watch(_ plugin: any RemotePlugin, _ watched: inout Watched) throws(PluginError) -> [String] {
    let files = Self.files(of: plugin)
    let paths = Set(files + (watched.loaded[plugin.description.id] ?? []))
    var entries: Set<PathEntries.Entry> = []
    // Again if the paths lead elsewhere by then: an entry that was made before its folder was watched has no event.
    for _ in 0..<100 {
      let present = Set(paths.flatMap(PathEntries.of))
      if present == entries { break }
      entries = present
      for folder in Set(entries.map(\.folder)) { try watch(folder, entries, &watched.folders) }
    }
    watched.entries[plugin.description.id] = entries
    return files
  }

  /// Watches a folder in place of the one that was at its path before.
  private func watch(
    _ folder: String, _ entries: Set<PathEntries.Entry>, _ folders: inout [Int32: String]
  ) throws(PluginError) {
    // Links and folders are also made at their paths.
    let watch = inotify_add_watch(inotify, folder, UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE))
    let error = errno
    for (other, path) in folders where path == folder && other != watch {
      inotify_rm_watch(inotify, other)
      folders[other] = nil
    }
    if watch >= 0 {
      folders[watch] = folder
    } else if error != EACCES || entries.contains(where: { $0.folder == folder && !$0.isFolder }) {
      throw PluginError(.notReadable, folder, "cannot be watched: \(SystemLimit.text(error))")
    }
    // A folder that the user may not list, on the way to others, is not watched.
  }

  private func run(_ watched: Watched) {
    var watched = watched
    var changed: Set<PathEntries.Entry> = []
    /// The plugins whose files were being written when they changed.
    var unfinished: Set<String> = []
    var quietEnd: ContinuousClock.Instant?
    while !isOver.load(ordering: .acquiring) {
      if let end = quietEnd, end <= .now {
        unfinished = reload(changed, unfinished, &watched)
        changed = []
        quietEnd = unfinished.isEmpty ? nil : .now + Self.quiet
      }
      var waits = [
        pollfd(fd: inotify, events: Int16(POLLIN), revents: 0), pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
      ]
      guard plugin_poll(&waits, 2, WorkerServer.milliseconds(from: .now, until: quietEnd)) > 0 else { continue }
      let changes = changes(watched)
      guard !changes.isEmpty else { continue }
      changed.formUnion(changes)
      quietEnd = .now + Self.quiet
    }
  }

  /// Reloads the plugins whose entries have changed, and those that were unfinished. Returns the plugins whose files
  /// are being written.
  private func reload(
    _ changed: Set<PathEntries.Entry>, _ earlier: Set<String>, _ watched: inout Watched
  ) -> Set<String> {
    var unfinished: Set<String> = []
    for plugin in host.registry.remotes {
      let id = plugin.description.id
      guard earlier.contains(id) || watched.entries[id]?.isDisjoint(with: changed) == false else { continue }
      do throws(PluginError) {
        // Before the file is read, so that a later change is noticed.
        let files = try watch(plugin, &watched)
        // A build may have removed the file, and be about to write another one.
        if plugin.files.contains(where: { access($0, F_OK) != 0 && errno == ENOENT }) { continue }
        if files.contains(where: FileLease.isBeingWritten) {
          unfinished.insert(id)
          continue
        }
        let description = try reload(plugin, &watched)
        report(id, .success(description))
      } catch {
        report(id, .failure(error))
      }
    }
    return unfinished
  }

  private func reload(_ plugin: any RemotePlugin, _ watched: inout Watched) throws(PluginError) -> PluginDescription {
    let description = try host.reload(plugin.description.id, adopting: try prepare(plugin.description))
    // A new adoption, like a new file, may name other libraries.
    watched.loaded[plugin.description.id] = nil
    watched.loaded[plugin.description.id] = try watch(plugin, &watched)
    return description
  }

  /// Returns the entries of plugins that have changed. Others in their folders, such as /tmp, may change all the time:
  /// if the system drops events because there are too many, each entry may have changed.
  private func changes(_ watched: Watched) -> Set<PathEntries.Entry> {
    var changes: Set<PathEntries.Entry> = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(inotify, &buffer, buffer.count)
      guard count > 0 else { return changes }
      var offset = 0
      let header = MemoryLayout<inotify_event>.size
      while offset + header <= count {
        let event = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self) }
        let length = Int(event.len)
        let name = buffer[(offset + header)..<min(count, offset + header + length)].prefix { $0 != 0 }
        offset += header + length
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { changes.formUnion(watched.entries.values.joined()) }
        guard let folder = watched.folders[event.wd] else { continue }
        let entry = PathEntries.Entry(folder: folder, name: String(decoding: name, as: UTF8.self))
        guard watched.entries.values.contains(where: { $0.contains(entry) }) else { continue }
        if event.mask & UInt32(IN_CREATE) == 0 || Self.isComplete(entry.path) { changes.insert(entry) }
      }
    }
  }

  /// Whether a new entry is used as soon as it is made. A file is written first, then closed.
  private static func isComplete(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }
}
