import Foundation
import Testing

extension EndToEnd {
  @Suite struct WatchTests {
    /// Builds a revision of a plugin and renames it to `path`.
    private func install(_ revision: Int, _ path: URL) throws {
      let source = """
        #include <promise_plugin.h>
        static int64_t revision(void) { return \(revision); }
        static const promise_plugin_function_t functions[] = {{"revision() -> i64", (promise_function_t)revision, 0}};
        static const promise_plugin_t plugin = {
            .size = sizeof plugin, .abi_min = 1, .abi_max = PROMISE_ABI_VERSION, .function_size = sizeof functions[0],
            .id = "org.example.changing", .version = "1.0.0", .functions = functions, .function_count = 1};
        const promise_plugin_t *promise_plugin_entry(uint32_t abi) { (void)abi; return &plugin; }
        """
      let (text, built) = (path.appendingPathExtension("c"), path.appendingPathExtension("new"))
      try Data(source.utf8).write(to: text)
      let compiler = Process()
      compiler.executableURL = URL(filePath: "/usr/bin/env")
      let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
      let include = root.appending(path: "include").path
      compiler.arguments = ["cc", "-shared", "-fPIC", "-I", include, text.path, "-o", built.path]
      try compiler.run()
      compiler.waitUntilExit()
      try #require(compiler.terminationStatus == 0 && rename(built.path, path.path) == 0)
    }

    private func waiting(for condition: () -> Bool) throws {
      let deadline = Date(timeIntervalSinceNow: 60)
      while !condition(), Date() < deadline { usleep(5_000) }
      try #require(condition(), "the condition did not hold within 60 s")
    }

    @Test func aChangedFileIsUsedByTheStepsThatFollow() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "plugin-host-watch-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let (plugin, mark, end) = (
        folder.appending(path: "changing.so"), folder.appending(path: "mark"), folder.appending(path: "end")
      )
      try install(1, plugin)
      let file = try PipelineFile(
        """
        plugins: [kinds, {plugin: \(plugin.path), isolation: process, pool: 2, limits: {in-flight: 4, queue: 8}}]
        steps:
          one: {call: changing.revision}
          waits: {call: kinds.start, with: {command: "touch \(mark.path); while ! test -e \(end.path); do sleep 0.02; done"}, after: [one]}
          two: {call: changing.revision, after: [waits]}
        result: [one, two]
        """)
      let host = try HostProcess(["run", "--watch", file.path])
      try host.process.run()
      try waiting(for: { FileManager.default.fileExists(atPath: mark.path) })
      try Data("junk".utf8).write(to: folder.appending(path: "junk"))
      try #require(rename(folder.appending(path: "junk").path, plugin.path) == 0)
      try waiting(for: { host.errorsSoFar.contains("keeps the file that was loaded before") })
      try install(2, plugin)
      try waiting(for: { host.errorsSoFar.contains("its file has changed; new calls use it") })
      try Data().write(to: end)
      let ending = try host.wait()
      #expect(ending.text == "{\"one\":1,\"two\":2}\n", "\(ending.errors)")
      #expect(ending.status == 0)
    }

    @Test func itNeedsAWorker() throws {
      let file = try PipelineFile("plugins: [mortal]\nsteps: {a: {call: mortal.echo, with: {value: 1}}}")
      let ending = try HostProcess.run(["run", "--watch", file.path])
      #expect(ending.status == 64 && ending.errors.contains("add --isolation process"), "\(ending.errors)")
    }

    @Test(arguments: [
      ("isolation: process, pool: 0", "\"pool\" must be a number from 1 to 64; this is \"0\""),
      ("pool: 2", "\"pool\" is for worker processes; add \"isolation: process\""),
      ("isolation: process, limits: {in-flight: many}", "\"in-flight\" must be a number from 1 to 1000000"),
      ("isolation: process, limits: {when-full: drop}", "\"when-full\" must be wait or reject; this is \"drop\""),
      ("isolation: process, limits: {size: 3}", "size"),
    ])
    func mistakesAreShown(keys: String, message: String) throws {
      let file = try PipelineFile("plugins: [{plugin: mortal, \(keys)}]\nsteps: {a: {call: mortal.echo}}")
      let ending = try HostProcess.run(["run", file.path])
      #expect(ending.status == 64 && ending.errors.contains(message), "\(ending.errors)")
    }
  }
}
