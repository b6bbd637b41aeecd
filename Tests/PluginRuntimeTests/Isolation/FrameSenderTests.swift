import Glibc
import Promises
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Isolation: the frames that the threads of a program send")
struct FrameSenderTests {
  @Test("a thread of the program that sends frames delays no answer")
  func answers() async throws {
    let plugin = try IsolatedPlugin.loading("dying")
    let link = plugin.state.withLock { $0.active[0].link }
    var isAnswered = false
    // Once in a second the thread that serves the worker sends, too, and waits for the lock: then it tries again.
    for attempt in 0..<20 where !isAnswered {
      // A busy machine may need longer.
      let delay = 300 + UInt64(attempt) * 100
      let call = plugin.call("later", [.value(.int(5)), .value(.uint(delay))], timeout: nil)
      // By then that thread waits for the answer. Blocks this thread: other tests may hold up tasks for seconds.
      usleep(100_000)
      isAnswered = link.sender.withLock { _ in
        guard call.state == .pending else { return false }
        for _ in 0..<(delay + 300) where call.state == .pending { usleep(1_000) }
        return call.state == .fulfilled
      }
      #expect(try await call.outcomeInTime().value == .int(5))
    }
    #expect(isAnswered)
  }

  /// A sender with a socket, the end of that socket, and a timer.
  private final class Sending {
    var sender = FrameSender()
    /// Has the timer.
    private let link: WorkerLink
    private let sockets: [Int32]
    private var reader = FrameReader()
    private var incoming = IncomingBytes(receiver: "the test")

    init() throws {
      var sockets: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
      _ = fcntl(sockets[1], F_SETFL, O_NONBLOCK)
      self.sockets = sockets
      link = try #require(WorkerLink())
      sender.open(sockets[0], 1)
    }

    deinit { sockets.forEach { close($0) } }

    var timer: Int32 { link.holdTimer }

    /// Returns the requests of the frames that have come.
    func received() throws -> [UInt64] {
      var requests: [UInt64] = []
      guard case .received = try incoming.receive(sockets[1], &reader) else { return [] }
      while let frame = try reader.next() { requests.append(frame.request) }
      return requests
    }
  }

  private static func frame(_ request: UInt64) throws -> EncodedFrame {
    try Frame(.log, request, .bytes([0])).encoded()
  }

  @Test("frames that are held back come together and in order: when they are asked for, or with the next frame")
  func held() throws {
    let sending = try Sending()
    for request: UInt64 in 1...3 {
      let isLeft = try sending.sender.hold(Self.frame(request), sending.timer)
      #expect(!isLeft)
    }
    #expect(try sending.received() == [])
    var isLeft = sending.sender.sendHeld()
    #expect(try !isLeft && sending.received() == [1, 2, 3])
    _ = try sending.sender.hold(Self.frame(4), sending.timer)
    isLeft = try sending.sender.send(Self.frame(5))
    #expect(try !isLeft && sending.received() == [4, 5])
    isLeft = try sending.sender.send(Self.frame(6))
    #expect(try !isLeft && sending.received() == [6])
  }

  @Test("frames that are held back set a timer, after which they are sent")
  func timed() throws {
    let sending = try Sending()
    for request: UInt64 in 1...2 {
      _ = try sending.sender.hold(Self.frame(request), sending.timer)
      var count: UInt64 = 0
      for _ in 0..<10_000 where count == 0 {
        usleep(1_000)
        _ = read(sending.timer, &count, 8)
      }
      #expect(count == 1)
      sending.sender.noteTimer()
      let isLeft = sending.sender.flush()
      #expect(try !isLeft && sending.received() == [request])
    }
  }

  @Test("frames are held back up to a limit, and none for a worker that has ended")
  func limited() throws {
    let sending = try Sending()
    for request: UInt64 in 1...4 { _ = try sending.sender.hold(Self.frame(request), sending.timer) }
    #expect(try sending.received() == [1, 2, 3, 4])
    _ = try sending.sender.hold(Self.frame(5), sending.timer)
    sending.sender.close()
    let isLeft = try sending.sender.hold(Self.frame(6), sending.timer)
    let isFlushed = !sending.sender.sendHeld()
    #expect(try !isLeft && isFlushed && sending.received() == [])
  }
}
