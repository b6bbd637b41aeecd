import Foundation

/// A library that is not a plugin, and its header: `Fixtures/Adopting`, compiled once for the whole run.
enum AdoptableLibrary {
  static let header = sources.appending(path: "shapes.h").path

  static let path: String = {
    let library = FixturePlugins.folder.appending(path: "adopting/libshapes.so.3")
    do {
      try FileManager.default.createDirectory(
        at: library.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Package.run(
        "cc",
        ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library.path]
          + ["shapes.c", "there.c"].map { sources.appending(path: $0).path })
    } catch {
      fatalError("the fixture library cannot be built: \(error)")
    }
    return library.path
  }()

  private static let sources = Package.fixtures.appending(path: "Adopting")
}
