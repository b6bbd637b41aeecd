import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// A run whose results are all in the cache loads no plugin.
  @Suite struct CacheLoadTests {
    private static let source = """
      #include <promise_plugin.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <unistd.h>
      static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
        (void)host;
        fprintf(stderr, "loading\\n");
        if (getenv("SLOW")) sleep(2);
        if (!getenv("FAIL")) return PROMISE_OK;
        promise_value_error(error, "test", 1, "no luck");
        return -1;
      }
      static int32_t twice(int32_t x) { return 2 * x; }
      static const promise_plugin_function_t functions[] = {{"twice(x: i32) -> i32", (promise_function_t)twice, 0}};
      static const promise_plugin_t plugin = {
          .size = sizeof plugin, .abi_min = 1, .abi_max = PROMISE_ABI_VERSION, .function_size = sizeof functions[0],
          .id = "org.example.twice", .version = "1.0.0", .functions = functions, .function_count = 1, .load = load};
      const promise_plugin_t *promise_plugin_entry(uint32_t abi) { (void)abi; return &plugin; }
      """
    private static let text = """
      plugins: [./twice.so]
      pure: [twice.twice]
      set: {x: 21}
      steps:
        a: {call: twice.twice, with: {x: "${x}"}, rescue: {value: 0}, timeout: 1}
        b: {call: twice.twice, with: {x: {step: a}}}

      """

    private func run(
      _ folder: borrowing TemporaryFolder, _ options: [String], environment: [String: String] = [:]
    ) throws -> HostProcess.Ending {
      try HostProcess.run(
        ["run", "--progress", "off", "--cache", folder.path("results.db")] + options + [folder.path("p.yaml")],
        environment: environment)
    }

    private func made() throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      try folder.write(Self.source, to: "twice.c")
      try folder.write(Self.text, to: "p.yaml")
      try compile(folder, to: "twice.so")
      return folder
    }

    private func compile(_ folder: borrowing TemporaryFolder, to library: String) throws {
      try Package.run(
        "cc", ["-shared", "-fPIC", "-I", Package.include, folder.path("twice.c"), "-o", folder.path(library)])
    }

    @Test(arguments: [[], ["--isolation", "process"], ["--isolation", "thread"]])
    func theFirstCallLoads(options: [String]) throws {
      let folder = try made()
      for (x, isMade) in [("21", true), ("21", false), ("3", true), ("3", false)] {
        let ending = try run(folder, options + ["--set", "x=\(x)"])
        #expect(ending.text == "\(4 * (Int(x) ?? 0))\n", "\(ending)")
        // A plugin with a thread of its own is always loaded.
        let isLoaded = isMade || options.contains("thread")
        #expect(ending.errors.contains("loading") == isLoaded, "\(x): \(ending.errors)")
      }
      let resumed = try run(folder, options + ["--resume", "--set", "x=3"])
      #expect(resumed.text == "12\n" && resumed.errors.contains("loading") == options.contains("thread"))
    }

    @Test("a failure to load ends the run as it does without a cache, and no rescue hides it")
    func failures() throws {
      let folder = try made()
      let failed = try run(folder, [], environment: ["FAIL": "1"])
      let uncached = try run(folder, ["--no-cache"], environment: ["FAIL": "1"])
      #expect(failed.status == 2 && failed.text == "" && failed.errors.contains("no luck"), "\(failed)")
      #expect(failed.errors == uncached.errors && uncached.status == 2, "\(uncached)")
      #expect(try run(folder, []).text == "84\n")
      #expect(try run(folder, [], environment: ["FAIL": "1"]).text == "84\n")
    }

    @Test("the file that is loaded counts, not the one that was there when the run began")
    func theFileThatIsLoadedCounts() throws {
      let folder = try made()
      let old = try Data(contentsOf: URL(filePath: folder.path("twice.so")))
      try folder.write(Self.text.replacing("\"${x}\"", with: "\"@\(folder.path("x"))\""), to: "p.yaml")
      try folder.write(Self.source.replacing("2 * x", with: "3 * x"), to: "twice.c")
      try compile(folder, to: "new.so")
      #expect(mkfifo(folder.path("x"), 0o600) == 0)
      let place = ["--isolation", "process"]
      let host = try HostProcess(
        ["run", "--progress", "off", "--cache", folder.path("results.db")] + place + [folder.path("p.yaml")])
      try host.process.run()
      // Waits for the step, which opens its argument.
      let argument = try FileHandle(forWritingTo: URL(filePath: folder.path("x")))
      #expect(rename(folder.path("new.so"), folder.path("twice.so")) == 0)
      try argument.write(contentsOf: Data("7".utf8))
      try argument.close()
      #expect(try host.wait().text == "63\n")
      try FileManager.default.removeItem(atPath: folder.path("x"))
      try folder.write("7", to: "x")
      #expect(try run(folder, place).text == "63\n")
      try old.write(to: URL(filePath: folder.path("twice.so")))
      #expect(try run(folder, place).text == "28\n")
    }

    @Test func theTimeLimitOfTheCallBeginsAfterTheLoad() throws {
      let folder = try made()
      let ending = try run(folder, [], environment: ["SLOW": "1"])
      #expect(ending.text == "84\n", "\(ending)")
    }
  }
}
