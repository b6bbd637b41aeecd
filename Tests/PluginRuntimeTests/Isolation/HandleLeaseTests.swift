import Promises
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

/// Objects of a worker that values of the host refer to. The worker handles releases in their order: once the object of
/// a later release is destroyed, the earlier one was handled too.
@Suite("Isolation: objects live as long as the host refers to them", .serialized)
struct HandleLeaseTests {
  private let plugin: IsolatedPlugin

  init() throws { plugin = try .loading("objects") }

  private func box(_ number: Int64) async throws -> PluginValue {
    try #require(try await plugin.outcome("box_new", .int(number)).value)
  }

  /// Waits until the boxes of the numbers have been destroyed, in this order.
  private func waitForEnds(_ numbers: Int..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let text = numbers.map { "\($0) " }.joined()
    try await waiting(
      for: { try await plugin.outcome("ended").value == .string(text) }, sourceLocation: sourceLocation)
  }

  @Test("an object is destroyed once its last reference is released, with a lock held, and in nested values too")
  func lastReference() async throws {
    var box: PluginValue? = try await box(3)
    var copies = [try #require(box), try #require(box)]
    box = nil
    #expect(try await plugin.outcome("box_number", copies[1]).value == .int(3))
    let link = plugin.state.withLock { $0.active[0] }.link
    link.sender.withLock { _ in link.state.withLock { _ in copies = [] } }
    try await waitForEnds(3)
    do {
      let made = try await plugin.outcome("box_make", .int(4)).value
      #expect(try await plugin.outcome("box_in", try #require(made)).value == .int(4))
      withExtendedLifetime(made) {}
    }
    try await waitForEnds(3, 4)
    #expect(try await plugin.outcome("destroyed").value == .int(2))
    plugin.unload()
  }

  @Test("of 10,000 objects that are made one after the other no two are alive at once")
  func oneAfterTheOther() async throws {
    for number in 0..<10_000 {
      let made = await plugin.call("box_alone", [.value(.int(Int64(number)))], timeout: nil).outcome()
      guard made.value == nil else { continue }
      Issue.record("\(number): \(made)")
      break
    }
    try await waiting { try await plugin.outcome("box_count").value == .int(0) }
    plugin.unload()
  }

  @Test("a call under way keeps the object of an argument, and a call that releases it does so once")
  func arguments() async throws {
    var held: PluginValue? = try await box(1)
    let holding = plugin.call("box_hold", [.value(try #require(held))], timeout: nil)
    held = nil
    _ = try await box(2)
    try await waitForEnds(2)
    #expect(try await plugin.outcome("box_let_go").value == .void)
    #expect(try await holding.outcomeInTime().value == .void)
    try await waitForEnds(2, 1)
    var closed: PluginValue? = try await box(4)
    #expect(try await plugin.outcome("box_close", try #require(closed)).value == .void)
    let error = try await plugin.outcome("box_number", try #require(closed)).pluginError
    #expect(error?.message == "argument 'box' is a box that 'box_close' has released, expected one that is live")
    closed = nil
    _ = try await box(5)
    try await waitForEnds(2, 1, 4, 5)
    #expect(try await plugin.outcome("destroyed").value == .int(3))
    plugin.unload()
  }

  @Test("a call that waits for its thread in the worker keeps the object of an argument")
  func lanes() async throws {
    let thread = SerialThread(extendsToWorkers: true)
    let gate = Gate()
    defer { gate.open() }
    let wait = Argument.callback { _ in
      gate.wait()
      return .int(0)
    }
    var held: PluginValue? = try await box(1)
    let calls = Recorder<Promise<PluginValue>>()
    do {
      let (shown, argument) = (try await box(8), try #require(held))
      thread.post { [plugin] in
        calls.record(plugin.call("box_show", [.value(shown), wait], timeout: nil))
        calls.record(plugin.call("box_number", [.value(argument)], timeout: nil))
      }
    }
    try await waiting { calls.count == 2 }
    held = nil
    _ = try await box(2)
    try await waitForEnds(2)
    gate.open()
    #expect(try await calls.events[1].outcomeInTime().value == .int(1))
    try await waiting { try await plugin.outcome("box_count").value == .int(0) }
    plugin.unload()
  }

  @Test("a handle of a worker that has ended keeps nothing of it")
  func endedWorker() async throws {
    weak var link: WorkerLink?
    let box: PluginValue?
    do {
      let plugin = try IsolatedPlugin.loading("objects")
      link = plugin.state.withLock { $0.active[0] }.link
      box = try await plugin.outcome("box_new", .int(1)).value
      plugin.unload()
    }
    try await waiting { link == nil }
    #expect(box != nil)
  }

  @Test("a callback keeps an object by its argument, and gives one as its result")
  func callbacks() async throws {
    let kept = Mutex<PluginValue?>(nil)
    let show = Argument.callback { arguments in
      kept.withLock { $0 = arguments[0] }
      return .int(7)
    }
    do {
      let box = try await box(6)
      let shown = try await plugin.call("box_show", [.value(box), show], timeout: nil).outcomeInTime()
      #expect(shown.value == .int(7))
      #expect(kept.withLock { $0 } == box)
    }
    _ = try await box(7)
    try await waitForEnds(7)
    // The callback has the last reference, which it releases with its answer.
    let give = Argument.callback { _ in kept.withLock { $0.take() } ?? .void }
    do {
      // The result keeps the object too, if it arrives before the release.
      let given = try await plugin.call("box_given", [give], timeout: nil).outcomeInTime().value
      #expect(given != nil)
    }
    try await waitForEnds(7, 6)
    plugin.unload()
  }

  @Test("objects of results that nobody reads are destroyed: of discarded calls, and of arguments of calls")
  func unwanted() async throws {
    for number in 0..<200 {
      plugin.call("box_new", [.value(.int(Int64(number)))], timeout: nil).discard()
      let made = plugin.call("box_new", [.value(.int(Int64(number)))], timeout: nil)
      let state = plugin.call("later_state", [Argument(.promise(made))], timeout: nil)
      if number.isMultiple(of: 20) { #expect(try await state.outcomeInTime().value != nil) }
    }
    try await waiting { try await plugin.outcome("box_count").value == .int(0) }
    plugin.unload()
  }

  @Test("the release of a handle of an earlier generation changes nothing in a later one", arguments: [true, false])
  func generations(isReload: Bool) async throws {
    var old: PluginValue? = try await box(9)
    let process = plugin.state.withLock { $0.active[0] }
    if isReload {
      try plugin.reload(deadline: .seconds(60))
      try await waiting { plugin.workers.count == 1 }
    } else {
      process.kill(process.generation, "the test")
      try await waiting { process.absence != nil }
    }
    let fresh = try await box(10)
    // Both are the first handle of their worker.
    guard case .pointer(let first)? = old, case .pointer(let second) = fresh else { return #expect(Bool(false)) }
    #expect(first.address & 0xFFFF_FFFF == second.address & 0xFFFF_FFFF)
    old = first.address == second.address ? fresh : nil
    _ = try await box(11)
    try await waitForEnds(11)
    #expect(try await plugin.outcome("box_number", fresh).value == .int(10))
    #expect(plugin.workers.map(\.generation) == [2])
    plugin.unload()
  }

  @Test("in a pool the worker that made an object destroys it")
  func pools() async throws {
    let pool = try IsolatedPlugin.loading("objects") { $0.pool = 2 }
    func box(_ number: Int64) async throws -> PluginValue {
      try #require(try await pool.outcome("box_new", .int(number)).value)
    }
    let one = try await box(1)
    let holding = pool.call("box_hold", [.value(one)], timeout: nil)
    // The other worker has fewer calls.
    do {
      let other = try await box(2)
      #expect(try await pool.outcome("box_number", other).value == .int(2))
      #expect(try await pool.outcome("box_count").value == .int(1))
    }
    try await waiting { try await pool.outcome("box_count").value == .int(0) }
    #expect(try await pool.outcome("box_number", one).value == .int(1))
    holding.discard()
    pool.unload()
  }

  @Test("an object that a plugin in another worker gets by host->call, and cannot use, is destroyed")
  func otherPlugins() async throws {
    let host = Host()
    try host.load(try Fixture.plugin("objects"), isolation: .tests)
    try host.load(try Fixture.plugin("objects", ["-DID=\"test.others\""]), isolation: .tests)
    let given = try await host.call("box_of", of: "test.objects", [.text("test.others"), .value(.int(5))])
      .outcomeInTime()
    #expect(given.value == nil && given.reason != nil, "\(given)")
    try await waiting {
      try await host.call("ended", of: "test.others", []).outcomeInTime().value == .string("5 ")
    }
    host.unloadAll()
  }

  @Test("a worker refuses a release of handles that it has not sent, as any malformed frame")
  func refusals() async throws {
    let link = plugin.state.withLock { $0.active[0] }.link
    let holding = plugin.call("box_hold", [.value(try await box(1))], timeout: nil)
    link.send(Frame(.release, 0, .array([.uint(77), .uint(1)])))
    let end = try await holding.outcomeInTime().workerEnd
    let line = "plugin-worker: the host sent a release of 1 exports of the handle 77, which has 0"
    #expect(end?.output.contains(line) == true, "\(end as Any)")
    #expect(try await plugin.outcome("destroyed").value == .int(0))
    plugin.unload()
  }
}
