import Glibc
import PluginRuntime
import Synchronization

/// The known inputs of a plugin's functions.
struct PluginFingerprint: Sendable, Equatable {
  /// The plugin as it is loaded.
  let plugin: PluginDescription
  let digest: Digest
  /// The numbers of the plugin generations of the plugin and of those that it requires. They differ even if the files
  /// are equal.
  let generations: [Int]
}

/// Digests of the known inputs of plugins' functions: the content of a plugin's file and of the libraries that it
/// needs, likewise of the plugins that it requires, and its configuration.
final class PluginFingerprints: Sendable {
  private let plugins: [PluginDescription]
  private let host: Host
  private let settings: [String: [String: String]]
  private let store: ResultStore
  private let known = Mutex<[String: PluginFingerprint]>([:])

  /// `settings` has the values of each plugin, by the plugin's id and the key.
  init(plugins: [PluginDescription], host: Host, settings: [String: [String: String]], store: ResultStore) {
    self.plugins = plugins
    self.host = host
    self.settings = settings
    self.store = store
  }

  /// Returns the fingerprint of a plugin, as it is loaded now. Reads the files that have changed since their digests
  /// were stored.
  func fingerprint(of plugin: PluginDescription) throws -> PluginFingerprint {
    let generation = host.generation(of: plugin.id)
    let plugin = generation?.description ?? plugin
    let required = try plugin.required.compactMap { id in
      try plugins.first { $0.id == id }.map { try self.fingerprint(of: $0) }
    }
    let generations = [generation?.number ?? 0] + required.flatMap(\.generations)
    if let known = known.withLock({ $0[plugin.id] }), known.generations == generations { return known }
    let files = try contents(of: plugin.path, generation)
    let digest = Digest { hasher in
      hasher.add(plugin.id)
      hasher.add(LoaderSettings.text)
      for digest in files + required.map(\.digest) { hasher.add(digest.bytes) }
      for (key, value) in (settings[plugin.id] ?? [:]).sorted(by: { $0.key < $1.key }) {
        hasher.add(key)
        hasher.add(value)
      }
    }
    let fingerprint = PluginFingerprint(plugin: plugin, digest: digest, generations: generations)
    known.withLock { $0[plugin.id] = fingerprint }
    return fingerprint
  }

  /// Returns the digests of a library, of all libraries that it needs, and of those that are preloaded. Searches for
  /// the files each time: a new file in an earlier folder changes none of the others. For a plugin generation, the file
  /// that it has loaded counts, not the one that is at its path by now.
  private func contents(of path: String, _ generation: PluginGeneration?) throws -> [Digest] {
    let files = try ([path] + LoaderSettings.libraries).flatMap(LibraryFacts.closure)
    guard let generation, let copy = generation.copy else { return try files.map { try content(of: $0) } }
    let loaded = try withExtendedLifetime(generation) { try read(copy) }
    return try [loaded] + files.dropFirst().map { try content(of: $0) }
  }

  private func content(of path: String) throws -> Digest {
    let stamp = FileStamp(path)
    if let stamp, let noted = try store.digest(ofFile: path, stamp: stamp.text) { return noted }
    let digest = try read(path)
    // A file that was just written may be written again without a change of its time stamp.
    if let stamp, stamp.isOld { try store.note(path, stamp: stamp.text, digest: digest) }
    return digest
  }

  private func read(_ path: String) throws -> Digest {
    let bytes = try FileBytes.readRegular(path: path, limit: FileBytes.longest)
    return Digest { $0.add(bytes) }
  }
}

/// The libraries that the system's loader adds to each program.
private enum LoaderSettings {
  private static let lists = [Environment["LD_PRELOAD"], Environment["LD_AUDIT"], Self.file]

  /// The content of the file for all programs of the system.
  private static var file: String? {
    let bytes = try? FileBytes.readRegular(path: "/etc/ld.so.preload", limit: FileBytes.longestText)
    return bytes.map { RawText.text($0) }
  }

  /// The settings as they are written.
  static var text: String { lists.map { $0 ?? "" }.joined(separator: "\n") }

  /// The paths of the libraries. The loader skips missing ones, with a warning.
  static var libraries: [String] {
    let names = lists.compactMap(\.self).flatMap { $0.split { $0.isWhitespace || $0 == ":" } }.map(String.init)
    return names.compactMap(LibraryFacts.path).filter { FileKind(path: $0) != .missing }
  }
}

/// The device, inode, size and times of a file.
private struct FileStamp {
  let text: String
  let isOld: Bool

  /// Nil if there is no such file.
  init?(_ path: String) {
    var status = stat()
    guard stat(RawText.cString(path), &status) == 0 else { return nil }
    let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }.joined(separator: " ")
    text = "\(status.st_dev) \(status.st_ino) \(status.st_size) \(times)"
    isOld = max(status.st_mtim.tv_sec, status.st_ctim.tv_sec) + 2 < time(nil)
  }
}
