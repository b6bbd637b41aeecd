import Promises
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Isolation: results that stay in their worker", .serialized)
struct KeptResultTests {
  /// The size in KiB of the result of `large`, which begins once its argument is fulfilled with that number.
  private static let kibibytes: Int64 = 1 << 14
  private static let bytes = UInt64(kibibytes) << 10

  /// Makes a call of `large`, `count` calls of `same`, each with the result of the one before, and one of `size`.
  private static func chain(_ plugin: IsolatedPlugin, _ count: Int, of number: Promise<PluginValue>)
    -> (large: [Promise<PluginValue>], size: Promise<PluginValue>)
  {
    var large = [plugin.call("large", [Argument(.promise(number))], timeout: nil)]
    for _ in 0..<count { large.append(plugin.call("same", [Argument(.promise(large.last!))], timeout: nil)) }
    return (large, plugin.call("size", [Argument(.promise(large.last!))], timeout: nil))
  }

  /// Returns the promise of large bytes that a worker keeps.
  static func keep(_ plugin: IsolatedPlugin, kibibytes: Int64 = kibibytes) async throws -> Promise<PluginValue> {
    let number = Promise<PluginValue>()
    let (large, size) = chain(plugin, 0, of: number)
    number.resolve(.int(kibibytes))
    #expect(try await size.outcomeInTime().value == .int(kibibytes << 10))
    return large[0]
  }

  private static func received(_ plugin: IsolatedPlugin) -> UInt64 {
    plugin.workers.filter { $0.state == .active }.reduce(0) { $0 + $1.received }
  }

  private static func sent(_ plugin: IsolatedPlugin) -> UInt64 {
    plugin.workers.filter { $0.state == .active }.reduce(0) { $0 + $1.sent }
  }

  @Test("kept results never cross if nobody reads them: ten calls, each with 16 MiB of the call before")
  func unread() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let number = Promise<PluginValue>()
    let last = Self.chain(plugin, 9, of: number).size
    number.resolve(.int(Self.kibibytes))
    #expect(try await last.outcomeInTime().value == .int(Int64(Self.bytes)))
    #expect(Self.received(plugin) < 1 << 16 && Self.sent(plugin) < 1 << 16, "\(plugin.workers)")
    // The results do not stay either: nobody has their promises.
    try await waiting(for: { plugin.workers[0].kept == 0 })
    plugin.unload()
  }

  @Test(
    "kept results never cross if nobody reads them, also where later calls wait for the limit of calls in flight",
    arguments: [1, 2])
  func unreadOfWaiting(inFlight: Int) async throws {
    let plugin = try IsolatedPlugin.loading("chain") { $0.limits.inFlight = inFlight }
    let number = Promise<PluginValue>()
    let (large, size) = Self.chain(plugin, 9, of: number)
    #expect(plugin.workers[0].pending == inFlight)
    number.resolve(.int(Self.kibibytes))
    #expect(try await size.outcomeInTime().value == .int(Int64(Self.bytes)))
    #expect(Self.received(plugin) < 1 << 16 && Self.sent(plugin) < 1 << 16, "\(plugin.workers)")
    #expect(plugin.workers[0].kept == 10)
    // The result that is read has waited, and crosses once.
    #expect(try await large[5].outcomeInTime().value == .bytes([UInt8](repeating: 0, count: 1 << 24)))
    #expect((Self.bytes..<Self.bytes + 1 << 16).contains(Self.received(plugin)) && plugin.workers[0].kept == 9)
    plugin.unload()
  }

  @Test("kept results are sent at once if the calls that waited to take them are discarded, and nobody else waits")
  func discardedWhileWaiting() async throws {
    let plugin = try IsolatedPlugin.loading("chain") { $0.limits.inFlight = 1 }
    let number = Promise<PluginValue>()
    let blocker = plugin.call("large", [Argument(.promise(number))], timeout: nil)
    let ready = Argument(.promise(Promise<PluginValue>.resolve(.int(Self.kibibytes))))
    let large = plugin.call("large", [ready], timeout: nil)
    for _ in 0..<2 { plugin.call("size", [Argument(.promise(large))], timeout: nil).discard() }
    number.resolve(.int(0))
    try await waiting(for: { Self.received(plugin) >= Self.bytes })
    #expect(plugin.workers[0].kept == 0)
    withExtendedLifetime((blocker, large)) {}
    plugin.unload()
  }

  @Test(
    "kept results cross once if they are read, before or after their calls have ended, and are taken without crossing")
  func read() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let number = Promise<PluginValue>()
    let (large, size) = Self.chain(plugin, 9, of: number)
    let early = Recorder<Int>()
    large[3].then({ if case .bytes(let bytes) = $0 { early.record(bytes.count) } }, nil)
    number.resolve(.int(Self.kibibytes))
    #expect(try await size.outcomeInTime().value == .int(Int64(Self.bytes)))
    try await waiting(for: { early.events == [Int(Self.bytes)] })
    #expect(plugin.workers[0].kept == 9 && plugin.workers[0].keptBytes == 9 * Self.bytes, "\(plugin.workers)")
    #expect((Self.bytes..<Self.bytes + 1 << 16).contains(Self.received(plugin)), "\(plugin.workers)")
    // Later calls take the results where they are.
    let again = plugin.call("size", [Argument(.promise(large[5]))], timeout: nil)
    #expect(try await again.outcomeInTime().value == .int(Int64(Self.bytes)))
    let zeros = PluginValue.bytes([UInt8](repeating: 0, count: 1 << 24))
    for _ in 0..<2 { #expect(try await large[7].outcomeInTime().value == zeros) }
    #expect((2 * Self.bytes..<2 * Self.bytes + 1 << 16).contains(Self.received(plugin)), "\(plugin.workers)")
    #expect(Self.sent(plugin) < 1 << 16)
    plugin.unload()
  }

  @Test(
    "kept results are read by every use of a promise",
    arguments: ["then", "state", "wait", "future", "when", "chain", "abi"])
  func readers(how: String) async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let kept = try await Self.keep(plugin, kibibytes: 8)
    #expect(plugin.workers[0].kept == 1)
    switch how {
    case "then": kept.then({ _ in }, nil)
    case "state": _ = kept.state
    case "wait": _ = try? kept.future.wait(timeout: 0)
    case "future": _ = kept.future.isSettled
    case "when": _ = when(fulfilled: [kept, kept])
    case "chain": _ = Promise<Int>.resolve(1).then(async: { _ in kept })
    default: _ = kept.abi
    }
    try await waiting(for: { plugin.workers[0].kept == 0 && plugin.workers[0].pending == 0 })
    #expect(try await kept.outcomeInTime().value == .bytes([UInt8](repeating: 0, count: 8 << 10)))
    plugin.unload()
  }

  @Test("results of 4 KiB or more are kept in the worker", arguments: [3, 4])
  func small(kibibytes: Int64) async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let result = try await Self.keep(plugin, kibibytes: kibibytes)
    #expect(plugin.workers[0].kept == (kibibytes == 4 ? 1 : 0))
    withExtendedLifetime(result) {}
    plugin.unload()
  }

  @Test("kept results are lost with the worker: a later reader gets its end, with plugin, version and generation")
  func lost() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let kept = try await Self.keep(plugin)
    let other = try await Self.keep(plugin)
    #expect(try await plugin.outcome("die").workerEnd != nil)
    let outcome = try await kept.outcomeInTime()
    let error = try #require(outcome.pluginError, "\(outcome)")
    #expect(error.subject == "test.chain.large" && outcome.workerEnd?.cause == .killed(signal: 6), "\(error)")
    #expect(outcome.workerEnd?.version == "1.0.0" && outcome.workerEnd?.generation == 1)
    #expect(error.message.contains("(version 1.0.0, generation 1) was killed by SIGABRT"), "\(error)")
    // The next worker does not have the results.
    let dependent = plugin.call("size", [Argument(.promise(other))], timeout: nil)
    #expect("\(try await dependent.outcomeInTime().reason ?? "")".contains("SIGABRT"))
    plugin.unload()
  }

  @Test("kept results are fetched before the worker unloads the plugin, and when another worker takes them")
  func moved() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let kept = try await Self.keep(plugin)
    let other = try await Self.keep(plugin)
    try plugin.reload()
    let size = plugin.call("size", [Argument(.promise(other))], timeout: nil)
    #expect(try await size.outcomeInTime().value == .int(Int64(Self.bytes)))
    try await waiting(for: { plugin.workers.count == 1 })
    #expect(try await kept.outcomeInTime().value == .bytes([UInt8](repeating: 0, count: Int(Self.bytes))))
    plugin.unload()
  }

  @Test("kept results are taken by the worker of a pool that has them, or fetched where two are needed")
  func pools() async throws {
    let plugin = try IsolatedPlugin.loading("chain") { $0.pool = 2 }
    // Two calls that have not ended are in two workers.
    let numbers = [Promise<PluginValue>(), Promise<PluginValue>()]
    let chains = numbers.map { Self.chain(plugin, 0, of: $0) }
    for number in numbers { number.resolve(.int(Self.kibibytes)) }
    for chain in chains { #expect(try await chain.size.outcomeInTime().value == .int(Int64(Self.bytes))) }
    #expect(plugin.workers.map(\.kept) == [1, 1])
    for chain in chains {
      let size = plugin.call("size", [Argument(.promise(chain.large[0]))], timeout: nil)
      #expect(try await size.outcomeInTime().value == .int(Int64(Self.bytes)))
    }
    #expect(Self.received(plugin) < 1 << 16, "\(plugin.workers)")
    let both = plugin.call("second", chains.map { Argument(.promise($0.large[0])) }, timeout: nil)
    #expect(try await both.outcomeInTime().value == .int(Int64(Self.bytes)))
    #expect((Self.bytes..<Self.bytes + 1 << 16).contains(Self.received(plugin)), "\(plugin.workers)")
    plugin.unload()
  }

  @Test("kept results are dropped with their promises: 10,000 of them take no memory of the worker")
  func dropped() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    var resident: [UInt64] = []
    for _ in 0..<21 {
      // Few waits, because each takes long while other tests keep the threads busy.
      let number = Promise<PluginValue>()
      let sizes = (0..<500).map { _ in Self.chain(plugin, 0, of: number).size }
      number.resolve(.int(16))
      for size in sizes { #expect(try await size.outcomeInTime().value == .int(1 << 14)) }
      try await waiting(for: { plugin.workers[0].kept == 0 })
      if case .uint(let pages)? = try await plugin.outcome("resident").value { resident.append(pages) }
    }
    // The allocator keeps memory for some rounds, and returns it at times, more on a busy machine, so maxima are
    // compared. The results of the last ten rounds are 20,000 pages.
    #expect(resident.count == 21)
    let (earlier, later) = (resident.prefix(11).max() ?? 0, resident.dropFirst(11).max() ?? .max)
    #expect(later < earlier + 10_000, "\(resident)")
    #expect(Self.received(plugin) < 4 << 20, "\(plugin.workers)")
    plugin.unload()
  }

  @Test(
    "kept results do not delay the unloading of their plugin: the host fetches them without a reader",
    .timeLimit(.minutes(5)))
  func unloading() async throws {
    let host = Host()
    try host.load(try Fixture.plugin("chain"), isolation: .tests)
    let number = Promise<PluginValue>()
    let large = host.call("large", of: "test.chain", [Argument(.promise(number))])
    let size = host.call("size", of: "test.chain", [Argument(.promise(large))])
    number.resolve(.int(16))
    #expect(try await size.outcomeInTime().value == .int(1 << 14))
    host.unloadAll(deadline: .seconds(3_600))
    #expect(try await large.outcomeInTime().value == .bytes([UInt8](repeating: 0, count: 1 << 14)))
  }

  @Test(
    "a worker that keeps a result that no call takes, or that is too small, is ended",
    arguments: [
      (1, PluginValue.uint(1 << 20), "no later call takes"), (1, .uint(4095), "4095 bytes, expected at least 4096"),
      (1, .string("large"), "unknown form"), (1, .uint(.max), "expected at least 4096"),
    ])
  func forged(request: UInt64, body: PluginValue, reason: String) async throws {
    let plugin = try IsolatedPlugin.loading("dying")
    let pending = plugin.call("never", [], timeout: nil)
    let frame = try Frame(.kept, request, body).encoded().bytes
    _ = plugin.call("garbage", [.value(.bytes(frame))], timeout: nil)
    let fault = try await pending.outcomeInTime().workerEnd?.fault
    #expect(fault?.contains(reason) == true, "\(fault ?? "no fault")")
    plugin.unload()
  }

  @Test("a request for a result that is not kept ends the worker", arguments: [Frame.Kind.fetch, .drop])
  func unknown(kind: Frame.Kind) async throws {
    let plugin = try IsolatedPlugin.loading("dying")
    let pending = plugin.call("never", [], timeout: nil)
    plugin.state.withLock { $0.active[0] }.link.send(Frame(kind, 99))
    let end = try await pending.outcomeInTime().workerEnd
    #expect(end?.output.contains { $0.contains("request 99, which is not kept") } == true, "\(end?.output ?? [])")
    plugin.unload()
  }
}
