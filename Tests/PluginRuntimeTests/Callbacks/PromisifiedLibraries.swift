import CPromise
import PluginRuntime
import Promises
import Testing

/// Functions of libraries without promises, called by their signatures alone: `Tests/Fixtures/plugins/libraries.c`
/// lists the functions and wraps none.
@Suite("Callbacks: functions of common libraries")
struct PromisifiedLibraries: CallsPlugin {
  static let plugin = "test.libraries"
  let host: Host

  init() throws {
    host = Host()
    let libraries = ["libglib-2.0.so.0", "libevent-2.1.so.7", "libsystemd.so.0"].map { "-l:\($0)" }
    try host.load(try Fixture.plugin("libraries", libraries))
  }

  @Test("GLib: g_thread_new() calls back on a thread of its own")
  func thread() async {
    let threads = (0..<20).map { _ in host.call("g_thread_new", of: "test.libraries", [.value(.string("worker"))]) }
    for thread in threads { #expect(await thread.outcome().value == .void) }
  }

  @Test("GLib: g_timeout_add() calls back when its loop runs")
  func timeout() async {
    let elapsed = host.call("g_timeout_add", of: "test.libraries", [.value(.uint(1))])
    #expect(elapsed.state == .pending)
    while elapsed.state == .pending {
      _ = await outcome("g_main_context_iteration", .void, .int(1))
    }
    #expect(await elapsed.outcome().value == .void)
  }

  @Test("libevent: event_base_once() calls back when its loop runs, with the events")
  func event() async throws {
    let base = try #require(await outcome("event_base_new").value)
    let timeout = PluginValue.object([PluginMember("sec", .int(0)), PluginMember("usec", .int(1000))])
    let arguments = [base, .int(-1), .int(1), timeout].map { Argument.value($0) }
    let once = host.call("event_base_once", of: "test.libraries", arguments)
    #expect(once.state == .pending)
    // 1 means that no event is pending.
    #expect(await outcome("event_base_loop", base, .int(0)).value == .int(1))
    // 1 is EV_TIMEOUT.
    #expect(await once.outcome().value == .int(1))

    // The function refuses 8, EV_SIGNAL.
    let refused = await outcome("event_base_once", base, .int(-1), .int(8), .void)
    #expect(refused.promiseError?.code == -1)
    #expect(await outcome("event_base_free", base).value == .void)
  }

  @Test("systemd: sd_event_add_time() calls back when its loop runs, with the time")
  func event2() async throws {
    let created = await outcome("sd_event_new").value
    let loop = try #require(created?[member: "event"] ?? created)
    let monotonic = PluginValue.int(1)
    let arguments = [loop, .void, monotonic, .uint(1), .uint(0)].map { Argument.value($0) }
    let timer = host.call("sd_event_add_time", of: "test.libraries", arguments)
    #expect(timer.state == .pending)
    while timer.state == .pending { _ = await outcome("sd_event_run", loop, .uint(1_000_000)) }
    #expect(await timer.outcome().value == .uint(1))

    // There is no clock 99.
    let refused = await outcome("sd_event_add_time", loop, .void, .int(99), .uint(1), .uint(0))
    #expect((refused.promiseError?.code ?? 0) < 0)
    _ = await outcome("sd_event_unref", loop)
  }
}
