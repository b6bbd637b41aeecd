import Glibc
import Testing

@testable import PluginRuntime

@Suite("Isolation: frames that wait")
struct OutgoingFramesTests {
  @Test("frames that wait take memory for the waiting bytes alone, and keep their order and their shared memory")
  func flat() throws {
    var sockets: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
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
}
