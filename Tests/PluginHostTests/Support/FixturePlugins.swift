import Foundation
import Testing

/// The plugins in `Fixtures/`, compiled once for the whole run.
enum FixturePlugins {
  /// The folder with `kinds.so`, `later.so` and the others; `Preloaded/full.so`, which is not a plugin; and
  /// `Wrong/mistaken.so`, which cannot be loaded.
  static let folder: URL = {
    do {
      return try build()
    } catch {
      fatalError("the fixture plugins cannot be built: \(error)")
    }
  }()

  static func path(_ name: String) -> String { folder.appending(path: name + ".so").path }

  private static func build() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "plugin-host-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: FixturePlugins.folder) }
    for name in ["Preloaded", "Wrong"] {
      try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: Package.fixtures.path)
    for name in names + ["Preloaded/full.c", "Wrong/mistaken.c"] where name.hasSuffix(".c") {
      let library = folder.appending(path: name.dropLast(2) + ".so").path
      let flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread"]
      try Package.run(
        "cc", flags + ["-I", Package.include, "-o", library, Package.fixtures.appending(path: name).path])
    }
    return folder
  }
}
