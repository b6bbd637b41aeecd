import ArgumentParser
import Foundation
import Testing

@testable import plugin_host

@Suite struct PluginFinderTests {
  /// Calls `body` with a folder of empty files with these names.
  private func withFiles(_ names: [String], _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in names {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
    }
    try body(folder.path)
  }

  @Test func theFirstFolderWins() throws {
    try withFiles(["a/x.so", "b/x.so", "b/y.so", "b/no", "a/y.so/file", "b/z.adopt.yaml"]) { folder throws in
      let finder = PluginFinder(given: ["\(folder)/a"], environment: "\(folder)/b:/none")
      #expect(finder.directories == ["\(folder)/a", "\(folder)/b", "/none"])
      #expect(try finder.path(of: "x") == "\(folder)/a/x.so")
      #expect(try finder.path(of: "y") == "\(folder)/b/y.so")
      #expect(try finder.path(of: "z") == "\(folder)/b/z.adopt.yaml")
      #expect(try finder.path(of: "org.example.y") == "\(folder)/b/y.so")
      #expect(try PluginFinder(given: ["\(folder)/b/"], environment: nil).path(of: "x") == "\(folder)/b/x.so")
    }
  }

  @Test("a combining mark after a colon, a slash or a dot belongs to the next name")
  func marks() throws {
    try withFiles(["\u{301}a/\u{302}x.so"]) { folder throws in
      let finder = PluginFinder(given: [], environment: "/none:\u{301}b:\(folder)/\u{301}a")
      #expect(finder.directories == ["/none", "\u{301}b", "\(folder)/\u{301}a"])
      #expect(try finder.path(of: "org.\u{302}x") == "\(folder)/\u{301}a/\u{302}x.so")
      #expect(try finder.path(of: "a/\u{302}x") == "a/\u{302}x")
      #expect(Directory.parent(of: "a/\u{302}x") == "a" && Directory.name(of: "a/\u{302}x") == "\u{302}x")
    }
  }

  @Test func aSlashMakesItAPath() throws {
    #expect(try PluginFinder(given: [], environment: nil).path(of: "./none.so") == "./none.so")
  }

  @Test func saysWhereItLooked() {
    let none = PluginFinder(given: [], environment: nil)
    #expect(
      throws: Failure(
        .notLoaded,
        "no plugin \"x\": name the folder it is in with --plugins or PROMISE_PLUGIN_PATH, or give its path, "
          + "with a slash in it")
    ) { try none.path(of: "x") }
    let missing = "/a: No such file or directory; /b: No such file or directory"
    #expect(throws: Failure(.notLoaded, "no plugin \"x\": no x.so or x.adopt.yaml in /a, /b; \(missing)")) {
      try PluginFinder(given: ["/a"], environment: "/b").path(of: "x")
    }
  }

  @Test func listsLibraries() throws {
    try withFiles(["b.so", "a.so", "c.txt", "so", "c.adopt.yaml", "c.yaml"]) { folder throws in
      #expect(try PluginFinder.files(in: folder) == ["a.so", "b.so", "c.adopt.yaml"].map { "\(folder)/\($0)" })
      try withFiles(["a.so", "d.so"]) { second throws in
        let paths = try PluginFinder(given: [folder, second], environment: nil).all()
        #expect(paths == ["a.so", "b.so", "c.adopt.yaml"].map { "\(folder)/\($0)" } + ["\(second)/d.so"])
      }
    }
    #expect(throws: Failure(.notLoaded, "/none: No such file or directory")) {
      try PluginFinder.files(in: "/none")
    }
  }
}

@Suite struct SearchOptionsTests {
  @Test("a folder without a name is refused, and is not the root folder")
  func emptyNames() throws {
    #expect(try SearchOptions.parse(["--plugins", "a"]).directories == ["a"])
    let error = #expect(throws: (any Error).self) { try SearchOptions.parse(["--plugins", ""]) }
    #expect(error.map { SearchOptions.message(for: $0) } == "--plugins \"\": expected the name of a folder")
  }
}

@Suite struct PluginSettingTests {
  @Test func bytesThatAreNotTextAreNotASetting() {
    let bytes = RawText.text(Array("plugin:key=".utf8) + [0xFF])
    #expect(PluginSetting(bytes) == nil)
    #expect(PluginSetting("plugin:key=\u{e9}")?.value == "\u{e9}")
  }

  @Test func reads() {
    #expect(PluginSetting("a.b:c.d=e=f:g") == PluginSetting(plugin: "a.b", key: "c.d", value: "e=f:g"))
    #expect(PluginSetting("a:b=") == PluginSetting(plugin: "a", key: "b", value: ""))
    // A mark makes one character with the sign before it.
    #expect(PluginSetting("a:\u{301}=\u{301}") == PluginSetting(plugin: "a", key: "\u{301}", value: "\u{301}"))
  }

  @Test(arguments: ["", "a", "a=b", "a=b:c", ":b=c", "a:=c", "a:b"])
  func refuses(text: String) { #expect(PluginSetting(text) == nil) }
}
