import Foundation
import FoundationNetworking
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

@Suite("Cancelling transfers")
struct CancelledTransferTests {
  /// Fetches from a server that never answers, and expects that `cancel` closes the connection.
  private func stops(_ cancel: (URLSession, Future<FetchedResponse, FetchError>) -> Void) throws
    -> FutureResult<FetchedResponse, FetchError>
  {
    let received = Gate()
    let closed = Channel<Bool>()
    return try withServer { _, connection in
      received.open()
      closed.send(connection.clientCloses())
    } _: { session, server in
      let future = session.fetch(from: server.url().withoutTimeLimit)
      received.wait()
      cancel(session, future)
      #expect(closed.receive())
      return future.ending()
    }
  }

  @Test("EA36, RP28: a request to cancel cancels the future at once, and stops the transfer")
  func requested() throws {
    let result = try stops { _, future in
      future.requestCancel()
      #expect(future.state == .cancelled)
    }
    #expect(result.isCancelled)
  }

  /// Runs in a process of its own, for a process has one set of hooks.
  @Test("EA36: the end of a transfer that was stopped settles nothing again")
  func settledOnce() async {
    await #expect(processExitsWith: .success) {
      let again = Recorder<UInt64>()
      PromiseHooks.install(PromiseHooks(secondSettlement: { id, _, _ in again.record(id) }))
      let received = Gate()
      try withServer { _, connection in
        received.open()
        _ = connection.clientCloses()
      } _: { session, server in
        let future = session.fetch(from: server.url().withoutTimeLimit)
        received.wait()
        future.requestCancel()
        // Wait until the completion handler of the transfer has been called.
        let tasks = Channel<Int>()
        var count = 1
        while count > 0 {
          session.getAllTasks { tasks.send($0.count) }
          count = tasks.receive()
        }
        session.delegateQueue.waitUntilAllOperationsAreFinished()
        #expect(future.state == .cancelled)
      }
      #expect(again.count == 0)
    }
  }

  @Test("EA36: discarding stops the transfer")
  func discarded() throws {
    #expect(try stops { _, future in future.promise.discard() }.isCancelled)
  }

  @Test("RP28: a token stops the transfer")
  func token() throws {
    #expect(
      try stops { _, future in
        let token = InvalidationToken()
        future.requestCancelOnInvalidate(token)
        token.invalidate()
      }.isCancelled)
  }

  @Test("RP28: a session that cancels its transfers cancels the future")
  func invalidated() throws {
    #expect(try stops { session, _ in session.invalidateAndCancel() }.isCancelled)
  }

  @Test("RP29, EA36: a derived future stops the transfer once no one else is interested")
  func derived() throws {
    let received = Gate()
    let closed = Recorder<Bool>()
    let ended = Gate()
    try withServer { _, connection in
      received.open()
      closed.record(connection.clientCloses())
      ended.open()
    } _: { session, server in
      let source = session.fetchData(from: server.url().withoutTimeLimit)
      let (one, other) = (source.map { $0.count }, source.map { $0.first })
      _ = consume source
      received.wait()
      one.requestCancel()
      #expect(one.state == .pending && closed.events.isEmpty)
      other.requestCancel()
      ended.wait()
      #expect(closed.events == [true])
      #expect(one.ending().isCancelled && other.ending().isCancelled)
    }
  }

  @Test("RP29: a time limit of the future stops the transfer")
  func timeLimit() throws {
    let received = Gate()
    let closed = Channel<Bool>()
    try withServer { _, connection in
      received.open()
      closed.send(connection.clientCloses())
    } _: { session, server in
      let source = session.fetchData(from: server.url().withoutTimeLimit)
      received.wait()
      let limited = (consume source).timeout(after: 0.2)
      guard case .timedOut? = limited.ending().error else {
        Issue.record("\(String(describing: limited.result))")
        return
      }
      #expect(closed.receive())
    }
  }

  @Test("RP29: a time limit of the future ends a transfer that the session never completes")
  func neverCompleted() throws {
    try withServer { _, connection in
      // Foundation waits for credentials forever up to Swift 6.3.1 (swift-corelibs-foundation, issue 5456).
      connection.respond(401, headers: ["WWW-Authenticate": "Basic realm=\"x\""], "who?".utf8)
    } _: { session, server in
      let limited = session.fetchData(from: server.url()).timeout(after: 1)
      switch limited.ending().error {
      case .timedOut?, .rejected(.status)?: break
      default: Issue.record("\(String(describing: limited.result))")
      }
    }
  }

  @Test("EA36: cancelling stops an endless body in the middle")
  func endless() throws {
    let flowing = Gate()
    let closed = Channel<Bool>()
    try withServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 46, count: 1 << 16) + Array("\r\n".utf8)
      // Long enough, but not forever: a test that fails must end.
      let isCut = (0..<2000).contains { _ in
        flowing.open()
        return !connection.send(chunk)
      }
      closed.send(isCut || connection.clientCloses())
    } _: { session, server in
      let future = session.fetchDecoded([Int].self, from: server.url().withoutTimeLimit)
      flowing.wait()
      future.requestCancel()
      #expect(closed.receive())
      #expect(future.ending().isCancelled)
    }
  }

  @Test("EA36: cancelled over and over while responses arrive, each future is settled once, and nothing leaks")
  func races() throws {
    try withLifetimeTracking { tracker in
      try withServer { _, connection in
        connection.respond(200, "quick".utf8)
      } _: { session, server in
        for round in 0..<40 {
          let calls = Recorder<Void>()
          let future = session.fetchData(from: server.url())
          let observed = future.onComplete { [held = tracker.track()] _ in
            held.touch()
            calls.record()
          }
          if round % 2 == 0 { _ = try? future.wait(timeout: 0.0002 * Double(round)) }
          observed.requestCancel()
          future.requestCancel()
          let result = observed.ending()
          #expect(result.isCancelled || result.value == Data("quick".utf8))
          #expect(calls.count == 1)
        }
      }
    }
  }
}
