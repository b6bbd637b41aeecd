import Foundation
import FoundationNetworking
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

@Suite("Fetching: transfers that are redirected")
struct RedirectedTransferTests {
  @Test("RP28: redirections are followed, and the response has the last URL", arguments: [301, 302, 303, 307, 308])
  func redirected(status: Int) throws {
    try withServer { request, connection in
      switch request.target {
      case "/end": connection.respond(200, "arrived".utf8)
      case "/middle": connection.respond(status, headers: ["Location": "/end"], "elsewhere".utf8)
      default: connection.respond(status, headers: ["Location": "/middle"])
      }
    } _: { session, server in
      let response = try #require(session.fetch(from: server.url("/start")).ending().value)
      #expect(response.data == Data("arrived".utf8))
      #expect(response.response.url == server.url("/end"))
    }
  }

  @Test("RP28: redirections in a circle end with an error")
  func redirectedInACircle() throws {
    try withServer { _, connection in
      connection.respond(302, headers: ["Location": "/again"])
    } _: { session, server in
      #expect(session.fetch(from: server.url()).ending().error?.urlError?.code == .httpTooManyRedirects)
    }
  }

  @Test("RP28: a redirection without a place to go to is the response; Foundation drops its body")
  func nowhere() throws {
    try withServer { _, connection in
      connection.respond(302, "nowhere".utf8)
    } _: { session, server in
      #expect(session.fetch(from: server.url()).ending().value?.status == 302)
      #expect(session.fetchData(from: server.url()).ending().errorKind == "status 302")
    }
  }

  @Test(
    "RP28: a redirection to an invalid place is the response, an error, or leads to a path of the same server",
    arguments: ["http://[", "http://", "://", "no such scheme:x", "\u{1}", "", "http://a b/"])
  func invalidPlace(location: String) throws {
    try withServer { request, connection in
      if request.target != "/start" { return connection.respond(404) }
      connection.respond(302, headers: ["Location": location], "body".utf8)
    } _: { session, server in
      let result = session.fetch(from: server.url("/start")).ending()
      let status = result.value?.status
      #expect(status == 302 || status == 404 || result.error?.urlError != nil, "\(location): \(result)")
    }
  }

  @Test("RP28: a redirection to a port without a server is an error of the transport")
  func refused() throws {
    let (socket, port) = try LoopbackServer.bindSocket()
    defer { close(socket) }
    let place = LoopbackServer.url(port: port, "/there").absoluteString
    try withServer { _, connection in
      connection.respond(302, headers: ["Location": place])
    } _: { session, server in
      #expect(session.fetch(from: server.url()).ending().error?.urlError?.code == .cannotConnectToHost)
    }
  }

  @Test(
    "RP28: after 303 a POST goes on as a GET without its body, after 307 and 308 as a POST", arguments: [303, 307, 308])
  func post(status: Int) throws {
    try withServer { request, connection in
      if request.target == "/start" {
        connection.respond(status, headers: ["Location": "/end"])
      } else {
        connection.respond(200, "\(request.method): \(String(decoding: request.body, as: UTF8.self))".utf8)
      }
    } _: { session, server in
      var request = URLRequest(url: server.url("/start"))
      request.httpMethod = "POST"
      request.httpBody = Data("body".utf8)
      let data = try #require(session.fetchData(from: request).ending().value)
      let (method, body) = (status == 303 ? "GET" : "POST", status == 303 ? "" : "body")
      let received = String(decoding: data, as: UTF8.self)
      #expect(received.hasPrefix("\(method): "))
      // Foundation on Linux sends the second POST without its body up to Swift 6.3.1.
      withKnownIssue(isIntermittent: true) {
        #expect(received == "\(method): \(body)")
      } when: {
        status != 303
      }
    }
  }

  @Test("EA36, RP28: a request to cancel stops the transfer at the place that it was redirected to")
  func cancelled() throws {
    let received = Gate()
    let closed = Channel<Bool>()
    try withServer { request, connection in
      if request.target == "/start" { return connection.respond(302, headers: ["Location": "/end"]) }
      received.open()
      closed.send(connection.clientCloses())
    } _: { session, server in
      let future = session.fetch(from: server.url("/start").withoutTimeLimit)
      received.wait()
      future.requestCancel()
      #expect(future.state == .cancelled)
      #expect(closed.receive())
    }
  }
}
