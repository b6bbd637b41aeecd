import Foundation
import FoundationNetworking
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

private struct User: Codable, Equatable {
  let name: String
  let age: Int
}

@Suite("Fetching")
struct FetchingTests {
  @Test("RP28: fetch gives the body, the status and the headers, for any status", arguments: [200, 204, 404, 500])
  func raw(status: Int) throws {
    try withServer { request, connection in
      connection.respond(
        status, headers: ["X-Method": request.method], Data((status == 204 ? "" : "body of \(request.target)").utf8))
    } _: { session, server in
      let response = try #require(session.fetch(from: server.url("/raw?a=b")).ending().value)
      #expect(response.status == status)
      #expect(String(decoding: response.data, as: UTF8.self) == (status == 204 ? "" : "body of /raw?a=b"))
      #expect(response.response.value(forHTTPHeaderField: "X-Method") == "GET")
    }
  }

  @Test("RP26, RP28, EA37: requests, URLs and texts name a request; an invalid one fails before anything is sent")
  func sources() throws {
    try withServer { request, connection in
      connection.respond(200, "\(request.method) \(request.target)".utf8)
    } _: { session, server in
      let url = server.url("/x")
      var head = URLRequest(url: url)
      head.httpMethod = "DELETE"
      #expect(session.fetchData(from: url).ending().value == Data("GET /x".utf8))
      #expect(session.fetchData(from: url.absoluteString).ending().value == Data("GET /x".utf8))
      #expect(session.fetchData(from: url.absoluteString as NSString).ending().value == Data("GET /x".utf8))
      #expect(session.fetchData(from: head).ending().value == Data("DELETE /x".utf8))
      for wrong in ["", "a b", "example.org/a b", "http://", "https:///path", "HTTP://"] {
        let future = session.fetch(from: wrong)
        #expect(future.state == .rejected, "\(wrong)")
        guard case .request(.invalidURL(wrong))? = future.error else {
          Issue.record("\(wrong): \(String(describing: future.error))")
          continue
        }
      }
      let hostless = try #require(URL(string: "https:///path"))
      for future in [session.fetch(from: hostless), session.fetch(from: URLRequest(url: hostless))] {
        guard case .request(.invalidURL("https:///path"))? = future.error else {
          Issue.record("\(String(describing: future.error))")
          continue
        }
      }
    }
    #expect(try "example.org/a".makeURLRequest().url?.absoluteString == "https://example.org/a")
    for wrong in ["http:///path", "/relative"] {
      let url = try #require(URL(string: wrong))
      #expect(throws: RequestError.invalidURL(wrong)) { try url.makeURLRequest() }
      #expect(throws: RequestError.invalidURL(wrong)) { try URLRequest(url: url).makeURLRequest() }
    }
  }

  @Test("RP27, RP28, EA36: a response that is not one of HTTP is an error of its own, which says so")
  func notHTTP() throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let result = session.fetch(from: try #require(URL(string: "data:text/plain,hello"))).ending()
    #expect(result.errorKind == "notHTTP")
    #expect(result.error.map { "\($0)".hasPrefix("the response is not one of HTTP: expected a URL") } == true)
  }

  @Test("RP29, RP27, EA35, EA36: fetchData checks the status; which ones are accepted can be chosen")
  func statuses() throws {
    try withServer { request, connection in
      connection.respond(Int(request.target.dropFirst())!, "reason".utf8)
    } _: { session, server in
      for status in [200, 201, 299] {
        #expect(session.fetchData(from: server.url("/\(status)")).ending().value == Data("reason".utf8))
      }
      for status in [300, 400, 404, 500, 599] {
        let result = session.fetchData(from: server.url("/\(status)")).ending()
        #expect(result.error?.statusCode == status)
        guard case .status(let response)? = result.error else { continue }
        #expect(response.data == Data("reason".utf8))
        #expect("\(FetchError.status(response))" == "status \(status) from \(server.url("/\(status)"))")
      }
      #expect(session.fetchData(from: server.url("/400"), accepting: 0...400).ending().value != nil)
      #expect(session.fetchData(from: server.url("/401"), accepting: 0...400).ending().errorKind == "status 401")
      #expect(session.fetchData(from: server.url("/200"), accepting: 404...404).ending().errorKind == "status 200")
    }
  }

  @Test("RP29, RP27, EA36: an empty body is not data; fetch has it as empty")
  func empty() throws {
    try withServer { _, connection in
      connection.respond()
    } _: { session, server in
      #expect(session.fetchData(from: server.url()).ending().errorKind == "noData")
      #expect(session.fetchDecoded(User.self, from: server.url()).ending().errorKind == "noData")
      #expect(session.fetch(from: server.url()).ending().value?.data == Data())
    }
  }

  @Test("RP30, RP27, EA37: fetchDecoded and fetchJSON read JSON, or fail with the decoder's error")
  func decoded() throws {
    let bodies = [
      "/right": #"{"name": "Ada", "age": 36}"#, "/type": #"{"name": "Ada", "age": "old"}"#, "/missing": #"{"name": 1}"#,
      "/cut": #"{"name": "Ada", "a"#, "/html": "<html>", "/status": #"{"name": "Ada", "age": 36}"#,
    ]
    try withServer { request, connection in
      connection.respond(request.target == "/status" ? 503 : 200, bodies[request.target]!.utf8)
    } _: { session, server in
      let user: Future<User, FetchError> = session.fetchDecoded(from: server.url("/right"))
      #expect(user.ending().value == User(name: "Ada", age: 36))
      for path in ["/type", "/missing", "/cut", "/html"] {
        let result = session.fetchDecoded(User.self, from: server.url(path)).ending()
        guard case .decoding(let error)? = result.error else {
          Issue.record("\(path): \(result)")
          continue
        }
        #expect(error is DecodingError)
      }
      #expect(session.fetchDecoded(User.self, from: server.url("/status")).ending().errorKind == "status 503")
      let json = session.fetchJSON(from: server.url("/right")).ending().value as? [String: Any]
      #expect(json?["name"] as? String == "Ada")
      #expect(session.fetchJSON(from: server.url("/html")).ending().errorKind == "decoding")
      #expect(session.fetchJSON(from: server.url("/status")).ending().errorKind == "status 503")
    }
  }

  @Test("RP30, RP27, EA36: the forms for JSON accept the statuses that are given, else 200...299, and any JSON text")
  func accepted() throws {
    try withServer { request, connection in
      connection.respond(Int(request.target.dropFirst())!, "7".utf8)
    } _: { session, server in
      let (right, wrong) = (server.url("/404"), server.url("/200"))
      #expect(session.fetchDecoded(Int.self, from: right, accepting: 404...404).ending().value == 7)
      #expect(session.fetchDecoded(Int.self, from: wrong, accepting: 404...404).ending().errorKind == "status 200")
      #expect(session.fetchJSON(from: right, accepting: 404...404).ending().value as? Int == 7)
      #expect(session.fetchJSON(from: wrong, accepting: 404...404).ending().errorKind == "status 200")
      for (path, kind) in [("/299", nil), ("/300", "status 300")] as [(String, String?)] {
        #expect(session.fetchDecoded(Int.self, from: server.url(path)).ending().errorKind == kind)
        #expect(session.fetchJSON(from: server.url(path)).ending().errorKind == kind)
      }
    }
    #expect((FetchError.noData as any Error).localizedDescription == "the response has no body")
  }

  @Test("EA38: a path leads into the JSON of a response")
  func path() throws {
    try withServer { _, connection in
      connection.respond(200, #"{"users": [{"name": "Ada"}, {"name": "Bob"}]}"#.utf8)
    } _: { session, server in
      let name = session.fetchJSON(from: server.url()).map { jsonValue(at: "users/[1]/name", in: $0) as? String }
      #expect(name.ending().value == "Bob")
    }
  }

  @Test("RP30: the decoder is the given one")
  func decoder() throws {
    try withServer { _, connection in
      connection.respond(200, #"{"user_name": "Ada"}"#.utf8)
    } _: { session, server in
      struct Named: Decodable { let userName: String }
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      #expect(
        session.fetchDecoded(Named.self, from: server.url(), decoder: decoder).ending().value?.userName == "Ada")
    }
  }

  @Test("RP28, EA37: fifty at once each get their own response")
  func many() throws {
    try withServer { request, connection in
      connection.respond(200, request.target.utf8)
    } _: { session, server in
      let all = (0..<50).map { session.fetchData(from: server.url("/\($0)")) }
      for (number, future) in all.enumerated() {
        #expect(future.ending().value == Data("/\(number)".utf8))
      }
    }
  }
}
