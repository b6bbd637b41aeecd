import ArgumentParser

/// The options of the commands that use the cache.
struct CacheOptions: ParsableArguments {
  @Option(
    name: .customLong("cache"),
    help: ArgumentHelp(
      """
      The file in which results of pure steps are kept; without it, plugin-host/results.db in XDG_CACHE_HOME or ~/.cache.
      """, valueName: "file"))
  var file: String?

  func validate() throws {
    if file?.isEmpty == true { throw ValidationError("--cache \"\": expected the name of a file") }
  }

  /// The file's absolute path, because a plugin may change the folder of the process; nil if the environment does not
  /// name a folder for it.
  var path: String? {
    (file ?? Environment.file("results.db", "XDG_CACHE_HOME", or: ".cache")).map(Directory.absolute)
  }

  static let none = "no folder for the cache: set HOME or XDG_CACHE_HOME, or name a file with --cache"
}
