import Foundation
import PluginRuntime
import Promises
import Testing

@Suite("docs/plugins.md")
struct Documentation {
  @Test("its plugins compile without a warning, load and work")
  func plugins() async throws {
    let page = try String(contentsOf: Fixture.root.appendingPathComponent("docs/plugins.md"), encoding: .utf8)
    let sources = page.components(separatedBy: "```c\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    try #require(sources.count == 2)
    let host = Host()
    for source in sources {
      let file = try Fixture.file("plugin.c", containing: source.utf8)
      let library = Fixture.file("plugin.so")
      try Fixture.run(
        "cc",
        ["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden"]
          + ["-I", Fixture.include.path, file, "-lpthread", "-o", library])
      try host.load(library)
    }
    #expect(await host.outcome("add", of: "org.example.sums", [.text("41")]).value == .uint(42))
    let bytes = Argument.value(.bytes(Array(repeating: 1, count: 100_000)))
    #expect(await host.outcome("sum", of: "org.example.sum", [bytes]).value == .uint(100_000))
    #expect(await host.outcome("sum", of: "org.example.sum", [.text("")]).promiseError?.code == 1)
  }
}
