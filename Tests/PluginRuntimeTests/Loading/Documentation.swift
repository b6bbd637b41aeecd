import Foundation
import PluginRuntime
import Promises
import Testing

@Suite("the examples of the documentation in C")
struct Documentation {
  @Test("the plugins of docs/plugins.md compile without a warning, load and work")
  func plugins() async throws {
    let sources = try samples(of: "docs/plugins.md")
    try #require(sources.count == 2)
    let host = Host()
    for source in sources { try host.load(try plugin(source)) }
    #expect(await host.outcome("add", of: "org.example.sums", [.text("41")]).value == .uint(42))
    let bytes = Argument.value(.bytes(Array(repeating: 1, count: 100_000)))
    #expect(await host.outcome("sum", of: "org.example.sum", [bytes]).value == .uint(100_000))
    #expect(await host.outcome("sum", of: "org.example.sum", [.text("")]).promiseError?.code == 1)
  }

  @Test("the program and the plugin of README.md compile without a warning; the plugin loads and works")
  func readMe() async throws {
    let sources = try samples(of: "README.md")
    try #require(sources.count == 2)
    let program = try Fixture.file("answer.c", containing: sources[0].utf8)
    try Fixture.run("cc", Self.flags + ["-fsyntax-only", program])
    let host = Host()
    try host.load(try plugin(sources[1]))
    #expect(await host.outcome("add", of: "org.example.sums", [.text("41")]).value == .uint(42))
  }

  private static let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", Fixture.include.path]

  /// Returns the blocks of C in a page.
  private func samples(of page: String) throws -> [String] {
    let text = try String(contentsOf: Fixture.root.appendingPathComponent(page), encoding: .utf8)
    return text.components(separatedBy: "```c\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  /// Compiles a plugin and returns its path.
  private func plugin(_ source: String) throws -> String {
    let file = try Fixture.file("plugin.c", containing: source.utf8)
    let library = Fixture.file("plugin.so")
    try Fixture.run(
      "cc", Self.flags + ["-shared", "-fPIC", "-fvisibility=hidden", file, "-lpthread", "-o", library])
    return library
  }
}
