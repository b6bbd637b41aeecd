import PluginRuntime

/// Finds the file of a plugin by the user's name for it.
struct PluginFinder: Sendable {
  /// The folders to search, in order; the first match wins.
  var directories: [String]
  /// The check of the files before they are used.
  var trust = FileTrust()

  /// The folders given with `--plugins`, then those of the environment's `PROMISE_PLUGIN_PATH`, separated by colons.
  /// `acceptsUnsafeFiles` is `--accept-unsafe-files`; the environment may accept them too.
  init(
    given: [String], acceptsUnsafeFiles: Bool = false, environment: String? = Environment["PROMISE_PLUGIN_PATH"]
  ) {
    directories = given + (environment ?? "").parts(separatedBy: ":")
    if acceptsUnsafeFiles { trust.acceptsUnsafeFiles = true }
  }

  /// Returns a copy with one more folder, which is searched last.
  func adding(_ directory: String) -> PluginFinder {
    var finder = self
    if !directories.contains(directory) { finder.directories.append(directory) }
    return finder
  }

  /// The suffixes of plugins' files: a plugin, or the adoption file of an ordinary library.
  static let suffixes = [".so", AdoptionFile.suffix]

  /// Refuses a path that is not UTF-8: the runtime, and the plugin's description, have it as text.
  static func checkText(_ path: String) throws(Failure) {
    guard !RawText.isText(path) else { return }
    let name = RawText.string(path).displayLine
    throw Failure(.notLoaded, "\(name): its path is not UTF-8: rename the file or the folder")
  }

  /// Returns the path of `reference`: itself if it has a slash, otherwise `NAME.so` or `NAME.adopt.yaml` in one of the
  /// folders. A plugin's id, `org.example.digest`, also finds `digest.so`.
  func path(of reference: String) throws(Failure) -> String {
    if reference.isPath { return reference }
    let last = reference.parts(separatedBy: ".").last ?? reference
    for directory in directories {
      for name in [reference, last] where !name.isEmpty {
        for suffix in Self.suffixes {
          let path = Directory.join(directory, name + suffix)
          if FileKind(path: path) == .other { return path }
        }
      }
    }
    throw Failure(.notLoaded, "no plugin \"\(reference.truncated(to: 100))\": \(advice(for: reference))")
  }

  private func advice(for reference: String) -> String {
    // No file has a longer name, so a suggestion would not help.
    guard reference.utf8.count <= 255 else { return "the name has \(reference.utf8.count) bytes, expected at most 255" }
    if FileKind(path: reference) == .other { return "to load the file of that name here, write ./\(reference)" }
    guard !directories.isEmpty else {
      return "name the folder it is in with --plugins or PROMISE_PLUGIN_PATH, or give its path, with a slash in it"
    }
    let hint = Suggestion.near(reference.parts(separatedBy: ".").last ?? reference, among: names)
    let place = "no \(reference).so or \(reference)\(AdoptionFile.suffix) in \(directories.joined(separator: ", "))"
    return ([place + hint] + directories.compactMap(Self.obstacle)).joined(separator: "; ")
  }

  /// Returns the error for a folder that cannot be listed; nil for others.
  private static func obstacle(to directory: String) -> String? {
    do throws(Failure) {
      _ = try files(in: directory)
      return nil
    } catch {
      return error.message
    }
  }

  /// The names of the plugins in the folders that can be read.
  var names: [String] {
    let files = directories.flatMap { (try? Self.files(in: $0)) ?? [] }
    return files.map { path in
      let name = Directory.name(of: path)
      return String(name.dropLast(Self.suffixes.first(where: name.hasSuffix)?.count ?? 0))
    }
  }

  /// Returns the paths of all files of plugins in the folders, in their order, each name once: all that `path(of:)`
  /// could find.
  func all() throws(Failure) -> [String] {
    var seen: Set<String> = []
    var paths: [String] = []
    for directory in directories {
      for path in try Self.files(in: directory) where seen.insert(Directory.name(of: path)).inserted {
        paths.append(path)
      }
    }
    return paths
  }

  /// Returns the paths of the files of plugins in a folder.
  static func files(in directory: String) throws(Failure) -> [String] {
    do {
      let names = try Directory.names(path: directory).filter { suffixes.contains(where: $0.hasSuffix) }
      return names.map { Directory.join(directory, $0) }
    } catch {
      throw Failure(.notLoaded, "\(directory): \(error)")
    }
  }
}
