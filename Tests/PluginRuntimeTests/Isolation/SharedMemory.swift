import Foundation
import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Isolation: large bytes", .serialized)
struct SharedMemory {
  private static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  private static var blocks: Int { descriptors(of: "/memfd:promise-bytes") }

  /// Returns the number of descriptors of this process for files whose paths contain `name`.
  private static func descriptors(of name: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.count { number in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
      return target?.contains(name) ?? false
    }
  }

  @Test(
    "large bytes arrive whole, both ways, as values, contents and texts",
    arguments: [0, 1, SharedBytes.threshold - 1, SharedBytes.threshold, SharedBytes.threshold + 1, 5_000_000])
  func whole(count: Int) async throws {
    let plugin = try IsolatedPlugin.loading("large")
    let bytes = Self.bytes(count)
    let text = String(repeating: "\u{e9}x", count: count / 3 + 1)
    #expect(try await plugin.outcome("bytes", .bytes(bytes)).value == .bytes(bytes))
    #expect(try await plugin.outcome("text", .string(text)).value == .string(text))
    for content in [Argument.Content.contents(Array(text.utf8)), .text(text)] {
      #expect(try await plugin.call("text", [Argument(content)], timeout: nil).outcomeInTime().value == .string(text))
    }
    let contents = plugin.call("bytes", [Argument(.contents(bytes))], timeout: nil)
    #expect(try await contents.outcomeInTime().value == .bytes(bytes))
    // Bytes are not text, in a worker as elsewhere.
    #expect(try await plugin.outcome("text", .bytes(bytes)).pluginError?.kind == .badArgument)
    plugin.unload()
  }

  @Test("large bytes are mapped in the worker, not copied, and never in part")
  func mapped() async throws {
    let plugin = try IsolatedPlugin.loading("large")
    let large = Self.bytes(SharedBytes.threshold)
    let shared = try #require(SharedBytes(copying: large))
    for content in [Argument.Content.value(.bytes(large)), .contents(large), .shared(shared), .shared(shared)] {
      let call = plugin.call("is_shared", [Argument(content)], timeout: nil)
      #expect(try await call.outcomeInTime().value == .bool(true))
    }
    #expect(try await plugin.outcome("is_shared", .bytes(Array(large.dropLast()))).value == .bool(false))
    #expect(SharedBytes(copying: []) == nil)
    plugin.unload()
  }

  @Test("large bytes are one file for all workers of a pool whose calls have the same at the same time")
  func pools() async throws {
    let plugin = try IsolatedPlugin.loading("large") { $0.pool = 4 }
    let all = (0..<4).map { _ in Self.bytes(1 << 20) }
    for isSame in [true, false] {
      let files = Recorder<PluginValue>()
      let body = PluginCallback { arguments in
        files.record(arguments[0])
        // Waits until each worker has a call.
        let deadline = ContinuousClock.now + .seconds(60)
        while files.count < 4, ContinuousClock.now < deadline { usleep(1_000) }
        return .void
      }
      let calls = (0..<4).map { number in
        let bytes = Argument.value(.bytes(isSame ? all[0] : all[number]))
        return plugin.call("with_file", [bytes, Argument(.callback(body))], timeout: nil)
      }
      for call in calls { #expect(try await call.outcomeInTime().value == .void) }
      let numbers = files.events.compactMap { if case .uint(let number) = $0 { number } else { nil } }
      #expect(numbers.count == 4 && !numbers.contains(0))
      #expect(Set(numbers).count == (isSame ? 1 : 4), "\(numbers)")
    }
    // No call has the blocks any more.
    try await waiting(for: { Self.blocks == 0 })
    #expect(try await plugin.outcome("sum", .bytes([3])).value == .uint(3))
    plugin.unload()
  }

  @Test("large bytes are not changed by a plugin that writes to them")
  func scribbled() async throws {
    let plugin = try IsolatedPlugin.loading("large")
    let bytes = [UInt8](repeating: 1, count: 1 << 20)
    let shared = try #require(SharedBytes(copying: bytes))
    for _ in 0..<2 {
      let call = plugin.call("scribble", [Argument(.shared(shared))], timeout: nil)
      #expect(try await call.outcomeInTime().value == .uint(255))
      #expect(shared.bytes == bytes)
    }
    let sum = plugin.call("sum", [Argument(.shared(shared))], timeout: nil)
    #expect(try await sum.outcomeInTime().value == .uint(1 << 20))
    plugin.unload()
  }

  @Test("large bytes are the same in this process")
  func inProcess() async throws {
    let host = try Host.loading("large")
    let shared = try #require(SharedBytes(copying: Self.bytes(100_000)))
    let outcome = try await host.call("bytes", of: "test.large", [Argument(.shared(shared))]).outcomeInTime()
    #expect(outcome.value == .bytes(shared.bytes))
    let address = try await host.call("is_shared", of: "test.large", [Argument(.shared(shared))]).outcomeInTime()
    #expect(address.value == .bool(true))
  }

  @Test(
    "large bytes that are not sealed, or not announced, end the worker",
    arguments: [
      ("not sealed", "not sealed"), ("can be written", "not sealed"), ("can shrink", "not sealed"),
      ("empty", "empty shared memory"), ("too large", "more shared memory"), ("no memory", "not shared memory"),
      ("too few", "of which 1 came"), ("none", "of which 0 came"), ("not announced", "no frame announces"),
      ("too many", "more descriptors"), ("another block", "block 1 of shared memory"),
    ])
  func forged(how: String, reason: String) async throws {
    let plugin = try IsolatedPlugin.loading("large")
    for _ in 0..<3 {
      let pending = plugin.call("never", [.value(.bytes([]))], timeout: nil)
      _ = plugin.call("forge", [.value(.string(how))], timeout: nil)
      let fault = try await pending.outcomeInTime().workerEnd?.fault
      #expect(fault?.contains(reason) == true, "\(fault ?? "no fault")")
    }
    #expect(try await plugin.outcome("sum", .bytes([1, 2])).value == .uint(3))
    try await waiting(for: { Self.descriptors(of: "/memfd:wrong") + Self.descriptors(of: "/status") == 0 })
    plugin.unload()
  }

  /// Returns a connected pair of sockets of TCP.
  private static func connection() throws -> (Int32, Int32) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    let isListening = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, address, &size) == 0
          && (connect(client, address, size) == 0 || errno == EINPROGRESS)
      }
    }
    try #require(isListening)
    return (client, accept(listener, nil, nil))
  }

  @Test("a socket in place of shared memory is closed at once, though its peer does not read")
  func lingering() throws {
    let (client, peer) = try Self.connection()
    defer { close(peer) }
    var bytes = [UInt8](repeating: 1, count: 1 << 16)
    while send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {}
    var wait = linger(l_onoff: 1, l_linger: 1)
    try #require(setsockopt(client, SOL_SOCKET, SO_LINGER, &wait, socklen_t(MemoryLayout<linger>.size)) == 0)
    #expect(throws: FrameError.self) { try SharedBytes(receiving: client, atMost: 100, mapping: true) }
    // A connection that is closed in order ends without an error.
    var count = 1
    while count > 0 { count = recv(peer, &bytes, bytes.count, 0) }
    #expect(count == -1 && errno == ECONNRESET, "\(count)")
  }

  @Test("large bytes leave no descriptor: after answers, rejections, discarded calls and the ends of workers")
  func leaks() async throws {
    let plugin = try IsolatedPlugin.loading("large") { $0.grace = .seconds(60) }
    let bytes = Self.bytes(1 << 17)
    _ = try await plugin.outcome("sum", .bytes(bytes))
    let inWorker = try await plugin.outcome("descriptors").value
    for _ in 0..<100 {
      #expect(try await plugin.outcome("bytes", .bytes(bytes)).value == .bytes(bytes))
      #expect(try await plugin.outcome("text", .bytes(bytes)).pluginError != nil)
      plugin.call("never", [.value(.bytes(bytes))], timeout: nil).discard()
    }
    // The answer may arrive before the worker closes the memory that it sent.
    try await waiting(for: { try await plugin.outcome("descriptors").value == inWorker })
    for _ in 0..<10 {
      let pending = (0..<10).map { _ in plugin.call("never", [.value(.bytes(bytes))], timeout: nil) }
      #expect(try await plugin.outcome("die", .bytes(bytes)).workerEnd != nil)
      for promise in pending { #expect(try await promise.outcomeInTime().workerEnd != nil) }
      // An answer in between: workers that end one after the other without any are not started again.
      #expect(try await plugin.outcome("sum", .bytes([7])).value == .uint(7))
    }
    try await waiting(for: { Self.blocks == 0 })
    plugin.unload()
  }

  @Test("large bytes of more calls than there are descriptors are sent through the socket")
  func many() async throws {
    let plugin = try IsolatedPlugin.loading("large")
    let bytes = Self.bytes(SharedBytes.threshold)
    let sum = bytes.reduce(0) { $0 + UInt64($1) }
    // Ends the worker: all calls wait for the next one, which has to start first.
    _ = try await plugin.outcome("die", .bytes([]))
    var most = 0
    // Counted now and then: with a count for each call, the worker would start before all calls are made.
    let calls = (0..<1_000).map { number in
      defer { if number % 50 == 49 { most = max(most, Self.blocks) } }
      return plugin.call("sum", [.value(.bytes(bytes))], timeout: nil)
    }
    // Of 1,000 calls, 256 at most have a block at a time. Other tests have a few meanwhile.
    #expect(most > 0 && most < 300)
    for call in calls { #expect(try await call.outcomeInTime().value == .uint(sum)) }
    try await waiting(for: { Self.blocks == 0 })
    // Blocks that were sent no longer count.
    #expect(try await plugin.outcome("is_shared", .bytes(bytes)).value == .bool(true))
    plugin.unload()
  }

  @Test(
    "large bytes are mapped by the worker of a call, and read by the host", arguments: [Frame.Kind.call, .fulfilled])
  func read(kind: Frame.Kind) throws {
    let bytes = Self.bytes(1 << 17)
    let encoded = try Frame(kind, 1, .bytes(bytes)).encoded()
    let descriptor = try #require(encoded.memory.first).descriptor
    var status = stat()
    try #require(fstat(descriptor, &status) == 0)
    var reader = FrameReader(leavingCalls: true)
    encoded.bytes.withUnsafeBytes { reader.append($0, [dup(descriptor)]) }
    let frame = try #require(try reader.next())
    #expect(frame.memory.first?.bytes == bytes && (kind == .call || frame.body == .bytes(bytes)))
    #expect(try mappings().contains(" \(status.st_ino) ") == (kind == .call))
  }

  @Test("large bytes are unmapped, and their descriptors closed, with the last reference")
  func released() async throws {
    func mapped() throws -> Int {
      try mappings().split(separator: "\n").count { $0.contains("/memfd:promise-bytes") }
    }
    do {
      let all = (0..<20).compactMap { _ in SharedBytes(copying: Self.bytes(100_000)) }
      #expect(try mapped() >= 20 && all.count == 20 && Self.blocks >= 20)
    }
    // Other suites have some blocks for a while.
    try await waiting(for: { try mapped() == 0 && Self.blocks == 0 })
  }
}
