import Foundation
import FoundationNetworking
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

/// Ways to break a response, by name. A response cut short between the status and the end of a header is not among
/// them: Foundation traps on it up to Swift 6.3.1 (swift-corelibs-foundation, issue 5285).
private let breaks: [String: @Sendable (Connection) -> Void] = [
  "closed without a response": { _ in },
  "reset": { $0.reset() },
  "a status cut short": { $0.send("HTTP/1.1 200 O") },
  "headers cut short": { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n") },
  "no colon": { $0.send("HTTP/1.1 200 OK\r\nContent-Length 2\r\n\r\nok") },
  "a length below 0": { $0.send("HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok") },
  "a body cut short": { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this") },
  "a body reset": {
    $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this")
    $0.reset()
  },
  "chunks cut short": { $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nonly") },
  "a chunk of no length": { $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfive\r\n") },
  "no HTTP": { $0.send("220 mail.example.org ESMTP\r\n") },
  "bytes": { $0.send([0, 255, 10, 13, 10, 0]) },
]

@Suite("Fetching: transfers that are broken")
struct BrokenTransferTests {
  @Test("RP28, RP27, EA35: a response that is broken is an error of the transport", arguments: breaks.keys.sorted())
  func broken(kind: String) throws {
    try withServer { _, connection in
      breaks[kind]!(connection)
    } _: { session, server in
      let error = session.fetch(from: server.url("/broken")).ending().error
      #expect(error?.urlError != nil, "\(kind): \(String(describing: error))")
      #expect("\(error!)".contains(server.url("/broken").absoluteString), "\(error!)")
    }
  }

  @Test("RP27: the text of an error of the transport has the URL and the number of its code")
  func text() {
    let url = URL(string: "http://127.0.0.1/x")!
    let error = FetchError.transport(URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: url]))
    #expect("\(error)".hasPrefix("no response: ") && "\(error)".hasSuffix("(http://127.0.0.1/x, code -1001)"))
    #expect("\(FetchError.transport(URLError(.badURL)))".hasSuffix("(URL unknown, code -1000)"))
  }

  @Test("RP28: without a server there is an error of the transport")
  func refused() throws {
    // A socket that does not listen keeps its port from the servers of other tests.
    let (socket, port) = try LoopbackServer.bindSocket()
    defer { close(socket) }
    try withServer { _, _ in
    } _: { session, _ in
      let url = LoopbackServer.url(port: port)
      #expect(session.fetch(from: url).ending().error?.urlError?.code == .cannotConnectToHost)
    }
  }
}
