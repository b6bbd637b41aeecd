import CPluginEdge
import Glibc
import Promises
import Testing

@testable import PluginRuntime

// One at a time: descriptors under way count for all processes of a user.
@Suite("Isolation: frames that wait", .serialized)
struct OutgoingFramesTests {
  @Test("are counted until they are sent, with their shared memory")
  func counted() throws {
    let sockets = socketPair()
    defer { sockets.forEach { close($0) } }
    var outgoing = OutgoingFrames()
    let plain = try Frame(.log, 1, .bytes([UInt8](repeating: 1, count: 50_000))).encoded()
    let block = try #require(SharedBytes(copying: [UInt8](repeating: 2, count: 1 << 20)))
    let shared = try Frame(.log, 2, .bytes([3]), memory: [block]).encoded()
    var total = 0
    var received = 0
    /// The bytes of frames that the socket has not taken.
    func waiting() -> Int {
      var inSocket: Int32 = 0
      #expect(ioctl(sockets[1], UInt(FIONREAD), &inSocket) == 0)
      return total - received - Int(inSocket)
    }
    func receive(_ count: Int) {
      var buffer = [UInt8](repeating: 0, count: count)
      received += max(0, read(sockets[1], &buffer, count))
    }
    repeat { total += plain.bytes.count } while !outgoing.send(plain, sockets[0])
    for frame in [shared, plain, plain] {
      total += frame.bytes.count
      let isLeft = outgoing.send(frame, sockets[0])
      #expect(isLeft)
    }
    #expect(outgoing.size == waiting() + block.count && waiting() > 0)
    while outgoing.flush(sockets[0]) {
      // That of the first frames alone.
      let isSent = outgoing.size < block.count
      #expect(outgoing.size == waiting() + (isSent ? 0 : block.count))
      receive(20_000)
    }
    #expect(outgoing.size == 0 && waiting() == 0)
  }

  @Test("take no more memory than waits, however long some do, and keep their order and their shared memory")
  func flat() throws {
    let sockets = socketPair()
    defer { sockets.forEach { close($0) } }
    var outgoing = OutgoingFrames()
    var reader = FrameReader()
    var incoming = IncomingBytes(receiver: "the test")
    let count: UInt64 = 1_000
    let size = 50_000
    var next: UInt64 = 0
    func send(_ number: UInt64) throws {
      let memory = number % 100 == 99 ? SharedBytes(copying: [UInt8(number / 100)]) : nil
      let body = PluginValue.bytes([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size))
      _ = outgoing.send(try Frame(.log, number, body, memory: memory.map { [$0] } ?? []).encoded(), sockets[0])
    }
    /// Reads until a whole frame has come.
    func receive() throws {
      while true {
        if let frame = try reader.next() {
          #expect(frame.request == next)
          #expect(frame.body == .bytes([UInt8](repeating: UInt8(truncatingIfNeeded: next), count: size)))
          #expect(frame.memory.map(\.bytes) == (next % 100 == 99 ? [[UInt8(next / 100)]] : []))
          next += 1
          return
        }
        _ = outgoing.flush(sockets[0])
        guard case .received = try incoming.receive(sockets[1], &reader) else { return #expect(Bool(false)) }
      }
    }
    for number in 0..<count {
      try send(number)
      // Forty frames are always on their way: more than the socket takes.
      if number >= 40 { try receive() }
      #expect(outgoing.kept < 6_000_000)
    }
    while next < count { try receive() }
    #expect(outgoing.kept == 0)
  }

  @Test("are freed once they are sent, also while much shared memory waits behind them")
  func freed() throws {
    let sockets = socketPair()
    defer { sockets.forEach { close($0) } }
    var outgoing = OutgoingFrames()
    let plain = try Frame(.log, 1, .bytes([UInt8](repeating: 1, count: 50_000))).encoded()
    for _ in 0..<100 { _ = outgoing.send(plain, sockets[0]) }
    let block = try #require(SharedBytes(copying: [UInt8](repeating: 2, count: 1 << 24)))
    _ = outgoing.send(try Frame(.log, 2, .bytes([3]), memory: [block]).encoded(), sockets[0])
    var buffer = [UInt8](repeating: 0, count: 50_000)
    while outgoing.size > block.count + (1 << 20) {
      let count = read(sockets[1], &buffer, buffer.count)
      let isLeft = outgoing.flush(sockets[0])
      #expect(count > 0 && isLeft)
    }
    #expect(outgoing.kept < 3 << 20)
  }

  @Test("wait for a time, not for space in the socket, while too many descriptors of the user are under way")
  func descriptors() async {
    await #expect(processExitsWith: .success) {
      guard becomeOtherUser() else { return }
      let (held, sockets) = (holdDescriptors(), socketPair())
      let block = try #require(SharedBytes(copying: [1]))
      var outgoing = OutgoingFrames()
      var isLeft = outgoing.send(try Frame(.log, 2, .bytes([3]), memory: [block]).encoded(), sockets[0])
      #expect(isLeft)
      isLeft = outgoing.flush(sockets[0])
      #expect(isLeft && outgoing.lacksDescriptors)
      held.forEach { close($0) }
      while outgoing.flush(sockets[0]) {
        #expect(outgoing.lacksDescriptors)
        collectDescriptors()
      }
      #expect(!outgoing.lacksDescriptors && outgoing.size == 0)
    }
  }

  @Test("the rules of a worker wait for them too")
  func rules() async {
    await #expect(processExitsWith: .success) {
      guard becomeOtherUser() else { return }
      let (held, sockets) = (holdDescriptors(), socketPair())
      let isStarted = ProcessGuard.startThread {
        usleep(200_000)
        held.forEach { close($0) }
        while true {
          collectDescriptors()
          usleep(10_000)
        }
      }
      #expect(isStarted && plugin_confinement_send(sockets[0], "x", 1, sockets[1]) == 0)
    }
  }

  @Test("a worker is not killed for frames that wait for them")
  func innocent() async {
    await #expect(processExitsWith: .success) {
      let path = try Fixture.plugin("asking")
      guard becomeOtherUser() else { return }
      guard access(path, R_OK) == 0, access(Fixture.pluginHost, X_OK) == 0 else {
        return print("skipped: another user cannot run the worker")
      }
      var options = IsolationOptions.tests
      options.loadTimeout = .seconds(4)
      var loaded: IsolatedPlugin?
      // On a busy machine, a worker may take longer to load.
      for _ in 0..<3 where loaded == nil { loaded = try? IsolatedPlugin(loading: path, options) }
      let plugin = try #require(loaded)
      let held = holdDescriptors()
      let call = plugin.call("length", [.value(.bytes([UInt8](repeating: 0, count: 100_000)))], timeout: nil)
      try await Task.sleep(for: .seconds(7))
      #expect(call.state == .pending)
      held.forEach { close($0) }
      try await waiting(for: {
        collectDescriptors()
        return call.state != .pending
      })
      #expect(call.value == .uint(100_000))
    }
  }
}

/// Makes this process that of a user without other processes: the limit on descriptors under way is that of each user,
/// and does not hold for root. Returns false, and prints a line, if the system does not know such a user.
private func becomeOtherUser() -> Bool {
  guard geteuid() != 0 || setuid(uid_t.random(in: 20_000..<60_000)) == 0 else {
    print("skipped: the process cannot become that of another user")
    return false
  }
  return true
}

private func socketPair() -> [Int32] {
  var ends: [Int32] = [-1, -1]
  #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
  return ends
}

/// Sends as many descriptors as the user may have under way. Once the sockets that are returned are closed, nobody can
/// receive them any more, and `collectDescriptors` ends that.
private func holdDescriptors() -> [Int32] {
  var limit = rlimit(rlim_cur: 64, rlim_max: 64)
  #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
  let held = socketPair()
  let descriptors = [Int32](repeating: held[1], count: 16)
  while plugin_sealed_send(held[0], "x", 1, descriptors, descriptors.count, false) > 0 {}
  #expect(errno == ETOOMANYREFS)
  return held
}

/// Closes a socket, because the system looks for descriptors that nobody can receive when a socket is closed. If it is
/// looking already, it may miss those of the socket that is being closed.
private func collectDescriptors() { socketPair().forEach { close($0) } }
