import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Ends of workers in several commands, and changes of the store while a command runs.
  @Suite struct QuarantineEndsTests: ~Copyable {
    private let folder: TemporaryFolder
    private var store: URL { folder.url.appending(path: "plugin-host/quarantine") }

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String..., input: String = "") throws -> HostProcess.Ending {
      try HostProcess.run(arguments, input: input, environment: ["XDG_STATE_HOME": folder.url.path])
    }

    private func call(_ plugin: String, _ arguments: String...) throws -> HostProcess.Ending {
      try HostProcess.run(
        ["call", "--isolation", "process", plugin] + arguments, environment: ["XDG_STATE_HOME": folder.url.path])
    }

    @Test(
      "a plugin whose workers end while it is loaded is put in quarantine", arguments: ["constructor", "entry", "load"])
    func loading(place: String) throws {
      let plugin = folder.path("\(place).so")
      try folder.write(
        """
        #include <promise_plugin.h>
        #include <stdlib.h>
        #include <string.h>
        static void crash(const char *place) { if (strcmp(place, "\(place)") == 0) abort(); }
        __attribute__((constructor)) static void initialise(void) { crash("constructor"); }
        static promise_status_t load(const promise_host_t *host, promise_value_t *error) {
          (void)host; (void)error;
          crash("load");
          return PROMISE_OK;
        }
        static int64_t number(void) { return 3; }
        static const promise_plugin_function_t functions[] = {{"number() -> i64", (promise_function_t)number, 0}};
        static const promise_plugin_t plugin = {
            .size = sizeof plugin, .abi_min = 1, .abi_max = PROMISE_ABI_VERSION, .function_size = sizeof functions[0],
            .id = "org.example.crashing", .version = "1.0.0", .functions = functions, .function_count = 1, .load = load};
        const promise_plugin_t *promise_plugin_entry(uint32_t abi) { (void)abi; crash("entry"); return &plugin; }
        """, to: "crashing.c")
      try Package.run("cc", ["-shared", "-fPIC", "-I", Package.include, folder.path("crashing.c"), "-o", plugin])
      for _ in 0..<5 {
        let crashed = try call(plugin, "number")
        #expect(crashed.status == 2 && crashed.errors.contains("was killed by SIGABRT"), "\(crashed)")
      }
      let refused = try call(plugin, "number")
      #expect(refused.status == 2, "\(refused)")
      #expect(
        refused.errors.contains(
          "its worker processes ended 5 times in a row without an answer; the last one: its worker")
          && refused.errors.contains("is in quarantine for another"), "\(refused)")
      #expect(try run("quarantine", "list").text.contains("\(place).so"))
    }

    @Test("ends in a row count across commands, until an answer")
    func commands() throws {
      func crash(_ times: Int) throws {
        for _ in 0..<times {
          let crashed = try call("mortal", "crash")
          #expect(crashed.status == 1 && crashed.errors.contains("SIGSEGV"), "\(crashed)")
        }
      }
      try crash(4)
      #expect(try call("mortal", "echo", "3").text == "3\n")
      try crash(4)
      #expect(try run("quarantine", "list").text == "")
      // Ends do not count after an hour.
      let hash = try #require(try QuarantineTests.sha256(FixturePlugins.path("mortal")))
      let (now, ends) = (Int(Date().timeIntervalSince1970), "plugin-host/quarantine/ends")
      #expect(
        try folder.text(ends).split(separator: "\n").map { $0.split(separator: " ").last }
          == Array(repeating: hash[...], count: 4))
      // Lines of another form do not count.
      try folder.write("x \(hash)\n\(now)\n" + String(repeating: "\(now - 3_700) \(hash)\n", count: 4), to: ends)
      try crash(4)
      #expect(try call("kinds", "text", "x").status == 0)
      try crash(1)
      #expect(try call("mortal", "echo", "3").errors.contains("is in quarantine for another 2"))
      #expect(try folder.text(ends) == "")
    }

    @Test(
      "a plugin that is put in quarantine, or released, while a session runs is refused, or loaded",
      arguments: [true, false])
    func session(isAdded: Bool) throws {
      let hash = try #require(try QuarantineTests.sha256(FixturePlugins.path("mortal")))
      try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
      let now = Int(Date().timeIntervalSince1970)
      let (entry, aside) = (store.appending(path: hash).path, folder.path("aside"))
      try "begins \(now)\nends \(now + 5_000)\npath x\nreason because\n".write(
        toFile: isAdded ? aside : entry, atomically: true, encoding: .utf8)
      try folder.write("{library: libc.so.6, functions: ['rename(from: cstr, to: cstr) -> i32']}", to: "libc.yaml")
      let (from, to) = isAdded ? (aside, entry) : (entry, aside)
      let ending = try run(
        "shell", input: "use \(folder.path("libc.yaml"))\nlibc.rename \(from) \(to)\nmortal.echo 3\n")
      if isAdded {
        #expect(ending.text == "0\n" && ending.errors.contains("is in quarantine for another 8"), "\(ending)")
      } else {
        #expect(ending.text == "0\n3\n" && ending.status == 0, "\(ending)")
      }
    }
  }
}
