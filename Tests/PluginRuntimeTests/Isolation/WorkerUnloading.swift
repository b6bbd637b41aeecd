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
    __attribute__((destructor)) static void end(void) { say("ended\\n", 6); }
    static const promise_plugin_function_t functions[] = {
        {"make() -> own(destroy) ptr<thing>", (promise_function_t)make, NULL},
        {"block()", (promise_function_t)block, NULL}};
    const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
      static const promise_plugin_t plugin = {
          .size = sizeof(promise_plugin_t), .abi_min = 1, .abi_max = PROMISE_ABI_VERSION,
          .function_size = sizeof(promise_plugin_function_t), .id = "test.slow", .version = "1.0.0",
          .functions = functions, .function_count = 2, .unload = unload};
      return &plugin;
    }
    """

  private func loading(_ lines: Recorder<String>) throws -> IsolatedPlugin {
    var options = IsolationOptions.tests
    options.output = { lines.record($0) }
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
