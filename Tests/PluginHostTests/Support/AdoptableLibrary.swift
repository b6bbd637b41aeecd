import Foundation

/// A library that is not a plugin, and its header: `Fixtures/Adopting`, compiled once for the whole run.
enum AdoptableLibrary {
  static let header = sources.appending(path: "shapes.h").path

  static let path: String = {
    let library = FixturePlugins.folder.appending(path: "adopting/libshapes.so.3")
    do {
      try FileManager.default.createDirectory(
        at: library.deletingLastPathComponent(), withIntermediateDirectories: true)
      let compiler = try Process.run(
        URL(filePath: "/usr/bin/env"),
        arguments: ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library.path]
          + ["shapes.c", "there.c"].map { sources.appending(path: $0).path })
      compiler.waitUntilExit()
      guard compiler.terminationStatus == 0 else { fatalError("the fixture library cannot be built") }
    } catch {
      fatalError("the fixture library cannot be built: \(error)")
    }
    return library.path
  }()

  private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/Adopting")
}
