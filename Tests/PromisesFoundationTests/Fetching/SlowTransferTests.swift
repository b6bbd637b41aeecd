import Foundation
import FoundationNetworking
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

@Suite("Fetching: transfers that are slow or huge")
struct SlowTransferTests {
  @Test("RP28: a body that arrives byte by byte is whole")
  func byteByByte() throws {
    let text = String(repeating: "drop by drop ", count: 8)
    try withServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n")
      // With a pause, each byte is a packet of its own.
      for byte in text.utf8 where connection.pause(0.002) { connection.send([byte]) }
    } _: { session, server in
      #expect(session.fetchData(from: server.url()).ending().value == Data(text.utf8))
    }
  }

  @Test("RP28: a body with pauses is whole, though it takes longer than the request's time limit, which is for a pause")
  func pausing() throws {
    let blocks = (0..<6).map { Data(repeating: UInt8($0), count: 1000) }
    let limit = Channel<Double>()
    try withServer { _, connection in
      let limit = limit.receive()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6000\r\n\r\n")
      for block in blocks where connection.pause(limit / 4) { connection.send(block) }
    } _: { session, server in
      var results: [FutureResult<Data, FetchError>] = []
      // On a slow machine a pause may last longer than a short limit.
      for seconds in [2.0, 16] where results.last?.value == nil {
        var request = URLRequest(url: server.url())
        request.timeoutInterval = seconds
        limit.send(seconds)
        results.append(session.fetchData(from: request).ending())
      }
      #expect(results.last?.value == blocks.reduce(Data(), +), "\(results)")
    }
  }

  @Test("RP28: a request's time limit ends a transfer that gets no answer")
  func timeLimit() throws {
    let received = Counter()
    let closed = Channel<Bool>()
    try withServer { _, connection in
      received.add()
      closed.send(connection.clientCloses())
    } _: { session, server in
      var request = URLRequest(url: server.url())
      // On a slow machine a short limit may be over before the request has arrived.
      for limit in [1.0, 8, 60] where received.value == 0 {
        request.timeoutInterval = limit
        #expect(session.fetch(from: request).ending().error?.urlError?.code == .timedOut)
      }
      try #require(received.value > 0)
      #expect(closed.receive())
    }
  }

  @Test("RP28: a request's time limit ends a transfer that stops in the middle of its body")
  func stalled() throws {
    let received = Counter()
    let closed = Channel<Bool>()
    try withServer { _, connection in
      received.add()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this")
      closed.send(connection.clientCloses())
    } _: { session, server in
      var request = URLRequest(url: server.url())
      for limit in [1.0, 8, 60] where received.value == 0 {
        request.timeoutInterval = limit
        #expect(session.fetch(from: request).ending().error?.urlError?.code == .timedOut)
      }
      try #require(received.value > 0)
      #expect(closed.receive())
    }
  }

  @Test("RP29: a time limit of the future ends a transfer whose bytes keep arriving")
  func dripping() throws {
    let (received, closed) = (Gate(), Channel<Bool>())
    try withServer { _, connection in
      received.open()
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      // Long enough, but not forever: a test that fails must end.
      closed.send((0..<2000).contains { _ in !connection.pause(0.02) || !connection.send("1\r\n.\r\n") })
    } _: { session, server in
      let transfer = session.fetchData(from: server.url().withoutTimeLimit)
      received.wait()
      let limited = (consume transfer).timeout(after: 0.5)
      guard case .timedOut? = limited.ending().error else {
        Issue.record("\(String(describing: limited.result))")
        return
      }
      #expect(closed.receive())
    }
  }

  @Test("RP29: 32 MB arrive whole and in order")
  func huge() throws {
    let numbers = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    // Each block begins at another place, so a block in the place of another is noticed.
    let block: @Sendable (Int) -> Data = { numbers[($0 * 4099)...] + numbers[..<($0 * 4099)] }
    try withServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(numbers.count * 32)\r\n\r\n")
      for index in 0..<32 { connection.send(block(index)) }
    } _: { session, server in
      let data = try #require(session.fetchData(from: server.url()).ending().value)
      #expect(data.count == numbers.count * 32)
      let wrong = (0..<32).filter { data.dropFirst($0 * numbers.count).prefix(numbers.count) != block($0) }
      #expect(wrong == [])
    }
  }
}
