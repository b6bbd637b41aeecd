import Foundation
import Glibc
import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@Suite("Isolation: unloading", .serialized)
struct WorkerUnloading {
  /// An object whose destructor takes long, a function that does not return, and a destructor of the library.
  private static let source = """
    #include <promise_plugin.h>
    #include <stdlib.h>
    #include <unistd.h>
    static void say(const char *text, int length) { if (write(2, text, length) < 0) abort(); }
    static void *make(void) { return malloc(1); }
    void destroy(void *thing) {
      usleep(300 * 1000);
      say("destroyed\\n", 10);
      free(thing);
    }
    static void unload(void) { say("unloaded\\n", 9); }
    static void block(void) {
      say("blocks\\n", 7);
      for (;;) pause();
    }
    /* Returns after the file is there. */
    static void await(const char *path) {
      say("waits\\n", 6);
      while (access(path, F_OK) != 0) usleep(1000);
      usleep(200 * 1000);
      say("returns\\n", 8);
    }
    static int32_t process(void) { return getpid(); }
    __attribute__((destructor)) static void end(void) { say("ended\\n", 6); }
    static const promise_plugin_function_t functions[] = {
        {"make() -> own(destroy) ptr<thing>", (promise_function_t)make, NULL},
        {"block()", (promise_function_t)block, NULL},
        {"await(path: cstr)", (promise_function_t)await, NULL},
        {"process() -> i32", (promise_function_t)process, NULL}};
    const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
      static const promise_plugin_t plugin = {
          .size = sizeof(promise_plugin_t), .abi_min = 1, .abi_max = PROMISE_ABI_VERSION,
          .function_size = sizeof(promise_plugin_function_t), .id = "test.slow", .version = "1.0.0",
          .functions = functions, .function_count = 4, .unload = unload};
      return &plugin;
    }
    """

  private func options(_ lines: Recorder<String>) -> IsolationOptions {
    var options = IsolationOptions.tests
    options.output = { lines.record($0) }
    return options
  }

  private func loading(
    _ lines: Recorder<String>, _ change: (inout IsolationOptions) -> Void = { _ in }
  ) throws -> IsolatedPlugin {
    var options = options(lines)
    change(&options)
    return try IsolatedPlugin(loading: try Fixture.library("slow", from: Self.source, by: "cc"), options)
  }

  @Test("unloading destroys the objects of the worker before unload(), however long that takes")
  func destructors() async throws {
    let lines = Recorder<String>()
    let plugin = try loading(lines)
    let things = [try await plugin.outcome("make").value, try await plugin.outcome("make").value]
    #expect(things.allSatisfy { $0 != nil })
    plugin.unload(deadline: .zero)
    #expect(lines.events == ["destroyed", "destroyed", "unloaded", "ended"])
  }

  @Test("unloading runs neither unload() nor the exit handlers of the library while a function has not returned")
  func blocked() async throws {
    let lines = Recorder<String>()
    let plugin = try loading(lines)
    let call = plugin.call("block", [], timeout: nil)
    try await waiting(for: { lines.events == ["blocks"] })
    plugin.unload(deadline: .zero)
    #expect(try await call.outcomeInTime().pluginError?.kind == .closed)
    #expect(lines.events == ["blocks"])
  }

  @Test("a function whose call was discarded may return until the deadline; then the plugin is unloaded")
  func discarded() async throws {
    let (lines, ends) = (Recorder<String>(), Recorder<[String]>())
    let host = Host()
    try host.load(try Fixture.library("slow", from: Self.source, by: "cc"), isolation: options(lines))
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("promise-unloading-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let call = host.call("await", of: "test.slow", [.value(.string(file.path))])
    try await waiting(for: { lines.events == ["waits"] })
    call.discard()
    Thread.detachNewThread { ends.record(host.unloadAll(deadline: .seconds(3_600))) }
    while try await host.call("process", of: "test.slow").outcomeInTime().value != nil {}
    try Data().write(to: file)
    try await waiting(for: { ends.events == [[]] })
    #expect(lines.events == ["waits", "returns", "unloaded", "ended"])
  }

  @Test("a function that has not returned by the deadline is a warning in the log")
  func notUnloaded() async throws {
    let (lines, log) = (Recorder<String>(), Recorder<String>())
    let host = Host(Host.Options(log: { log.record("\($0) \($1): \($2)") }))
    try host.load(try Fixture.library("slow", from: Self.source, by: "cc"), isolation: options(lines))
    let call = host.call("block", of: "test.slow")
    try await waiting(for: { lines.events == ["blocks"] })
    call.discard()
    #expect(host.unloadAll(deadline: .zero) == [])
    #expect(lines.events == ["blocks"])
    #expect(log.events == ["warning test.slow: a function has not returned; not unloaded"])
  }

  @Test("the end of a worker is reported to the program if all of its calls were discarded before")
  func endAfterDiscard() async throws {
    let (lines, errors) = (Recorder<String>(), Recorder<PluginError>())
    let plugin = try loading(lines) { $0.unloadFailed = { errors.record($0) } }
    guard case .int(let process)? = try await plugin.outcome("process").value else {
      Issue.record("no number of the process")
      return
    }
    let call = plugin.call("block", [], timeout: nil)
    try await waiting(for: { lines.events == ["blocks"] })
    call.discard()
    #expect(kill(pid_t(process), SIGALRM) == 0)
    try await waiting(for: { errors.count == 1 })
    #expect(errors.events[0].message.contains("was killed by SIGALRM"), "\(errors.events)")
    plugin.unload()
  }

  @Test("unloading a host waits for no call of a worker that has ended: fulfilled, rejected, discarded, or kept there")
  func ended() async throws {
    let host = Host()
    for fixture in ["dying", "chain"] { try host.load(try Fixture.plugin(fixture), isolation: .tests) }
    #expect(try await host.call("echo", of: "test.dying", [.value(.int(1))]).outcomeInTime().value == .int(1))
    #expect(try await host.call("nothing", of: "test.dying").outcomeInTime().pluginError?.kind == .unknownFunction)
    let never = host.call("never", of: "test.dying")
    never.discard()
    #expect(try await never.outcomeInTime().reason is Discarded)
    let number = Argument(.promise(Promise<PluginValue>.resolve(.int(8))))
    let large = host.call("large", of: "test.chain", [number])
    let size = host.call("size", of: "test.chain", [Argument(.promise(large))])
    #expect(try await size.outcomeInTime().value == .int(8 << 10))
    let ends = Recorder<[String]>()
    Thread.detachNewThread { ends.record(host.unloadAll(deadline: .seconds(3_600))) }
    try await waiting(for: { ends.events == [[]] })
    withExtendedLifetime(large) {}
  }
}
