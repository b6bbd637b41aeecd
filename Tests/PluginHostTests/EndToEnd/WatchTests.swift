import Foundation
import Testing

extension EndToEnd {
  @Suite struct WatchTests {
    /// Builds a revision of a plugin and renames it to `path`.
    private func install(_ revision: Int, _ path: URL) throws {
      let source = """
        #include <fcntl.h>
        #include <promise_plugin.h>
        #include <unistd.h>
        static int64_t revision(int64_t of) { (void)of; return \(revision); }
        static void hold(const char *mark, const char *end) {
          close(open(mark, O_CREAT | O_WRONLY, 0600));
          while (access(end, F_OK) != 0) usleep(5000);
        }
        static const promise_plugin_function_t functions[] = {
            {"revision(of: i64 = 0) -> i64", (promise_function_t)revision, 0},
            {"hold(mark: cstr, end: cstr)", (promise_function_t)hold, 0}};
        static const promise_plugin_t plugin = {
            .size = sizeof plugin, .abi_min = 1, .abi_max = PROMISE_ABI_VERSION, .function_size = sizeof functions[0],
            .id = "org.example.changing", .version = "1.0.0", .functions = functions, .function_count = 2};
        const promise_plugin_t *promise_plugin_entry(uint32_t abi) { (void)abi; return &plugin; }
        """
      try compile(source, path)
    }

    /// Builds a library and renames it to `path`.
    private func compile(_ source: String, _ path: URL) throws {
      let (text, built) = (path.appendingPathExtension("c"), path.appendingPathExtension("new"))
      try Data(source.utf8).write(to: text)
      try Package.run("cc", ["-shared", "-fPIC", "-I", Package.include, text.path, "-o", built.path])
      try #require(rename(built.path, path.path) == 0)
    }

    private func waiting(for condition: () -> Bool) throws {
      let deadline = Date(timeIntervalSinceNow: 60)
      while !condition(), Date() < deadline { usleep(5_000) }
      try #require(condition(), "the condition did not hold within 60 s")
    }

    @Test func aChangedFileIsUsedByTheStepsThatFollow() throws {
      let folder = try TemporaryFolder()
      let (plugin, mark, end) = (
        folder.url.appending(path: "changing.so"), folder.url.appending(path: "mark"),
        folder.url.appending(path: "end")
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
      try folder.write("junk", to: "junk")
      try #require(rename(folder.path("junk"), plugin.path) == 0)
      try waiting(for: { host.errorsSoFar.contains("keeps the file that was loaded before") })
      try install(2, plugin)
      try waiting(for: { host.errorsSoFar.contains("its file has changed; new calls use it") })
      try Data().write(to: end)
      let ending = try host.wait()
      #expect(ending.text == "{\"one\":1,\"two\":2}\n", "\(ending.errors)")
      #expect(ending.status == 0)
    }

    /// The call of `waits` has its key before the file is exchanged, and is made afterwards.
    @Test func aResultIsKeptForTheCodeThatMadeIt() throws {
      let file = try PipelineFile(
        """
        plugins: [kinds, {plugin: ./changing.so, isolation: process, capabilities: ["write=."], limits: {in-flight: 1}}]
        steps:
          one: {call: changing.revision, pure: true}
          holds: {call: changing.hold, with: {mark: mark, end: end}, after: [one]}
          held: {call: kinds.start, with: {command: "while ! test -e mark; do sleep 0.02; done"}, after: [one]}
          waits: {call: changing.revision, with: {of: 1}, pure: true, after: [held]}
          two: {call: changing.revision, pure: true, after: [holds]}
          three: {call: changing.revision, with: {of: 2}, pure: true, after: [holds]}
        result: [one, waits, two, three]
        """)
      let (plugin, cache) = (file.folder.appending(path: "changing.so"), file.folder.appending(path: "c.db").path)
      try install(1, plugin)
      let host = try HostProcess(["run", "--watch", "--cache", cache, file.path])
      host.process.currentDirectoryURL = file.folder
      try host.process.run()
      try waiting(for: { host.errorsSoFar.contains("waits: started") })
      try install(2, plugin)
      try waiting(for: { host.errorsSoFar.contains("its file has changed; new calls use it") })
      try Data().write(to: file.folder.appending(path: "end"))
      let ending = try host.wait()
      #expect(ending.text == "{\"one\":1,\"waits\":2,\"two\":2,\"three\":2}\n", "\(ending.errors)")
      for (revision, count) in [(1, 1), (2, 3)] {
        try install(revision, plugin)
        let again = try HostProcess(["run", "--cache", cache, file.path])
        again.process.currentDirectoryURL = file.folder
        try again.process.run()
        let ending = try again.wait()
        let result = ["one", "waits", "two", "three"].map { "\"\($0)\":\(revision)" }.joined(separator: ",")
        #expect(ending.text == "{\(result)}\n", "\(ending.errors)")
        #expect(ending.errors.components(separatedBy: ", from the cache").count - 1 >= count, "\(ending.errors)")
      }
    }

    @Test func aResultIsKeptForTheCodeOfThePluginsThatItsPluginRequires() throws {
      let file = try PipelineFile(
        """
        plugins: [kinds, {plugin: ./changing.so, isolation: process}, ./asking.so]
        steps:
          one: {call: asking.ask, pure: true}
          waits: {call: kinds.start, with: {command: "touch mark; while ! test -e end; do sleep 0.02; done"}, after: [one]}
          two: {call: asking.ask, pure: true, after: [waits]}
        result: [one, two]
        """)
      func path(_ name: String) -> URL { file.folder.appending(path: name) }
      try install(1, path("changing.so"))
      try compile(
        """
        #include <promise_plugin.h>
        static const promise_host_t *host;
        static promise_status_t load(const promise_host_t *offered, promise_value_t *error) {
          (void)error; host = offered; return PROMISE_OK;
        }
        static promise_t *ask(void) {
          promise_value_t argument = {.kind = PROMISE_KIND_I64};
          return host->call(host, "org.example.changing", "revision", &argument, 1);
        }
        static const char *const required[] = {"org.example.changing", NULL};
        static const promise_plugin_function_t functions[] = {
            {"ask() -> promise<i64>", (promise_function_t)ask, 0}};
        static const promise_plugin_t plugin = {
            .size = sizeof plugin, .abi_min = 1, .abi_max = PROMISE_ABI_VERSION, .function_size = sizeof functions[0],
            .id = "org.example.asking", .version = "1.0.0", .load = load, .required = required,
            .functions = functions, .function_count = 1};
        const promise_plugin_t *promise_plugin_entry(uint32_t abi) { (void)abi; return &plugin; }
        """, path("asking.so"))
      let host = try HostProcess(["run", "--watch", "--cache", path("c.db").path, file.path])
      host.process.currentDirectoryURL = file.folder
      try host.process.run()
      try waiting(for: { FileManager.default.fileExists(atPath: path("mark").path) })
      try install(2, path("changing.so"))
      try waiting(for: { host.errorsSoFar.contains("its file has changed; new calls use it") })
      try Data().write(to: path("end"))
      let ending = try host.wait()
      #expect(ending.text == "{\"one\":1,\"two\":2}\n", "\(ending.errors)")
    }

    @Test func aChangedAdoptionIsUsedByTheStepsThatFollow() throws {
      let file = try PipelineFile(
        """
        plugins: [kinds, {plugin: ./c.adopt.yaml, isolation: process}]
        steps:
          one: {call: c.f, with: {x: -7}, pure: true}
          waits: {call: kinds.start, with: {command: "touch mark; while ! test -e end; do sleep 0.02; done"}, after: [one]}
          two: {call: c.f, with: {x: -7}, pure: true, after: [waits]}
        result: [one, two]
        """)
      let adoption = file.folder.appending(path: "c.adopt.yaml")
      func adopt(_ symbol: String) throws {
        try Data("library: libc.so.6\nfunctions: [{signature: \"f(x: i32) -> i32\", symbol: \(symbol)}]\n".utf8)
          .write(to: adoption, options: .atomic)
      }
      try adopt("abs")
      let host = try HostProcess(["run", "--watch", "--cache", file.folder.appending(path: "c.db").path, file.path])
      host.process.currentDirectoryURL = file.folder
      try host.process.run()
      try waiting(for: { FileManager.default.fileExists(atPath: file.folder.appending(path: "mark").path) })
      try Data("junk".utf8).write(to: adoption)
      try waiting(for: { host.errorsSoFar.contains("keeps the file that was loaded before") })
      try adopt("isalpha")
      try waiting(for: { host.errorsSoFar.contains("its file has changed; new calls use it") })
      try Data().write(to: file.folder.appending(path: "end"))
      let ending = try host.wait()
      #expect(ending.text == "{\"one\":7,\"two\":0}\n", "\(ending.errors)")
    }

    @Test(
      "an exchanged symbolic link to an adopted library is followed, also where the library is found by its name",
      arguments: ["./linked.so", "linked.so"])
    func linkedLibraries(library: String) throws {
      let file = try PipelineFile(
        """
        plugins: [kinds, {plugin: ./c.adopt.yaml, isolation: process}]
        steps:
          one: {call: c.revision}
          waits: {call: kinds.start, with: {command: "touch mark; while ! test -e end; do sleep 0.02; done"}, after: [one]}
          two: {call: c.revision, after: [waits]}
        result: [one, two]
        """)
      let path = { (name: String) in file.folder.appending(path: name) }
      let link = path("linked.so").path
      try Data("library: \(library)\nfunctions: ['revision() -> i32']\n".utf8).write(to: path("c.adopt.yaml"))
      for revision in 1...2 {
        try compile("int revision(void) { return \(revision); }", path("\(revision).so"))
      }
      try #require(symlink("1.so", link) == 0 && symlink("2.so", "\(link).new") == 0)
      let host = try HostProcess(
        ["run", "--watch", file.path], environment: ["LD_LIBRARY_PATH": file.folder.path])
      host.process.currentDirectoryURL = file.folder
      try host.process.run()
      try waiting(for: { FileManager.default.fileExists(atPath: path("mark").path) })
      try #require(rename("\(link).new", link) == 0)
      try waiting(for: { host.errorsSoFar.contains("its file has changed; new calls use it") })
      try Data().write(to: path("end"))
      let ending = try host.wait()
      #expect(ending.text == "{\"one\":1,\"two\":2}\n", "\(ending.errors)")
    }

    @Test func itNeedsAWorker() throws {
      let file = try PipelineFile("plugins: [mortal]\nsteps: {a: {call: mortal.echo, with: {value: 1}}}")
      let ending = try HostProcess.run(["run", "--watch", "--isolation", "in-process", file.path])
      #expect(ending.status == 64 && ending.errors.contains("add --isolation process"), "\(ending.errors)")
    }

    @Test(arguments: [
      ("isolation: process, pool: 0", "\"pool\" must be a number from 1 to 64; this is \"0\""),
      ("pool: 2", "\"pool\" is for worker processes; add \"isolation: process\""),
      ("isolation: process, limits: {in-flight: many}", "\"in-flight\" must be a number from 1 to 1000000"),
      ("isolation: process, limits: {when-full: drop}", "\"when-full\" must be wait or reject; this is \"drop\""),
      ("isolation: process, limits: {result-bytes: 3}", "\"result-bytes\" must be a number from 4096 to 2000000000"),
      ("isolation: process, limits: {size: 3}", "size"),
    ])
    func mistakesAreShown(keys: String, message: String) throws {
      let file = try PipelineFile("plugins: [{plugin: mortal, \(keys)}]\nsteps: {a: {call: mortal.echo}}")
      let ending = try HostProcess.run(["run", file.path])
      #expect(ending.status == 64 && ending.errors.contains(message), "\(ending.errors)")
    }
  }
}
