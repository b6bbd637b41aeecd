import Foundation
import FoundationNetworking
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

@Suite("Building requests")
struct RequestTests {
  @Test("RP22: methods have their names in HTTP")
  func methods() throws {
    let names = HTTPMethod.allCases.map(\.rawValue)
    #expect(names == ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
    for method in HTTPMethod.allCases {
      #expect(try URLRequest(path: "https://example.org", method: method).httpMethod == method.rawValue)
    }
  }

  @Test(
    "RP24, RP25: without a body, parameters are a query, sorted and encoded",
    arguments: [HTTPMethod.get, .head, .delete])
  func query(method: HTTPMethod) throws {
    func url(_ path: String, _ parameters: [String: any Sendable]) throws -> String? {
      let request = try URLRequest(path: path, method: method, parameters: parameters)
      #expect(request.httpBody == nil)
      return request.url?.absoluteString
    }
    #expect(try url("https://h/p", [:]) == "https://h/p")
    #expect(try url("https://h/p", ["b": 2, "a": "x"]) == "https://h/p?a=x&b=2")
    #expect(try url("https://h/p?q=1", ["a": true]) == "https://h/p?q=1&a=true")
    #expect(try url("https://h/p?", ["a": 1.5]) == "https://h/p?a=1.5")
    #expect(try url("https://h/p#part", ["a": 1]) == "https://h/p?a=1#part")
    #expect(try url("h/p", ["a": 1]) == "https://h/p?a=1")
    #expect(try url("h/login?next=https://h/home", [:]) == "https://h/login?next=https://h/home")
    #expect(try url("h:80/https://h/", [:]) == "https://h:80/https://h/")
    #expect(try url("a+b-c.1://h/", [:]) == "a+b-c.1://h/")
    #expect(try url("HTTP://h/", [:]) == "HTTP://h/")
    #expect(
      try url("https://h/p", ["a:#[]@": "!$&'()*+,;= ü"])
        == "https://h/p?a%3A%23%5B%5D%40=%21%24%26%27%28%29%2A%2B%2C%3B%3D%20%C3%BC")
    #expect(try url("https://h/p?q=%20", ["a": "%"]) == "https://h/p?q=%20&a=%25")
    #expect(try url("https://h/p", ["a": "/?-._~"]) == "https://h/p?a=/?-._~")
  }

  @Test("RP24: with a body, parameters are JSON", arguments: [HTTPMethod.post, .put, .patch])
  func body(method: HTTPMethod) throws {
    let request = try URLRequest(
      path: "https://h/p?q=1", method: method, parameters: ["name": "Ada", "ages": [1, 2], "inner": ["a": NSNull()]])
    #expect(request.url?.absoluteString == "https://h/p?q=1")
    let object = try JSONSerialization.jsonObject(with: #require(request.httpBody)) as? [String: Any]
    #expect(object?["name"] as? String == "Ada" && object?["ages"] as? [Int] == [1, 2])
    #expect((object?["inner"] as? [String: Any])?["a"] is NSNull)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    let typed = try URLRequest(
      path: "https://h", method: method, parameters: ["a": 1], headers: ["content-type": "application/problem+json"])
    #expect(typed.value(forHTTPHeaderField: "Content-Type") == "application/problem+json")
    #expect(try URLRequest(path: "https://h", method: method).httpBody == nil)
  }

  @Test("RP24: by default a request is GET, made on another thread; headers of one name are joined, a body is in lines")
  func defaults() throws {
    struct Parameter: CustomStringConvertible {
      let threads: Recorder<UInt>
      var description: String {
        threads.record(currentThread())
        return "v"
      }
    }
    let request = try URLRequest(path: "h/p", parameters: ["a": 1], headers: ["X-A": "1", "x-a": "2"])
    #expect(request.httpMethod == "GET" && request.url?.absoluteString == "https://h/p?a=1")
    #expect(Set((request.value(forHTTPHeaderField: "X-A") ?? "").split(separator: ",")) == ["1", "2"])
    let threads = Recorder<UInt>()
    let made = URLRequest.making(path: "h/p", parameters: ["a": Parameter(threads: threads)]).ending().value
    #expect(made?.httpMethod == "GET" && made?.url?.absoluteString == "https://h/p?a=v")
    #expect(threads.count > 0 && !threads.events.contains(currentThread()))
    let posted = try URLRequest(path: "h", method: .post, parameters: ["b": 1, "a": "x"])
    let lines = String(decoding: try #require(posted.httpBody), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 4 && lines[1].contains("\"a\"") && lines[2].contains("\"b\""))
  }

  @Test("RP23, RP24: a body that cannot be sent is an error that names it")
  func errors() {
    func error(
      _ parameters: [String: any Sendable] = [:], _ headers: [String: String] = [:], path: String = "https://h"
    )
      -> RequestError?
    {
      do {
        _ = try URLRequest(path: path, method: .post, parameters: parameters, headers: headers)
        return nil
      } catch { return error }
    }
    #expect(error() == nil)
    #expect(error(path: "https://a b") == .invalidURL("https://a b"))
    #expect(error(path: "") == .invalidURL(""))
    #expect(error(["right": 1, "wrong": Date()]) == .invalidParameter(name: "wrong"))
    #expect(error(["nan": Double.nan]) == .invalidParameter(name: "nan"))
    #expect(error([:], ["A": "b\r\nInjected: c"]) == .invalidHeader(name: "A", value: "b\r\nInjected: c"))
    #expect(error([:], ["A": "b\nc"]) != nil && error([:], ["A": "\0"]) != nil)
    #expect(error([:], ["A B": "c"]) != nil && error([:], ["": "c"]) != nil && error([:], ["A:": "c"]) != nil)
    #expect(RequestError.invalidURL("a b").description.hasPrefix("\"a b\" is not a URL: expected scheme://host/path"))
    #expect(
      RequestError.invalidHeader(name: "A B", value: "c").description
        == "the header \"A B\" with the value \"c\" cannot be sent: expected a token, and a value on one line")
    #expect(
      RequestError.invalidParameter(name: "when").description.hasPrefix("the parameter \"when\" has no form in JSON: "))
  }

  @Test("RP24: the name of a header is a token, and its value is one line")
  func headers() throws {
    func error(_ name: String, _ value: String) -> RequestError? {
      do { _ = try URLRequest(path: "https://h", headers: [name: value]) } catch { return error }
      return nil
    }
    #expect(error("!#$%&'*+-.^_`|~09AZaz", "c") == nil)
    for character in "\"(),/:;<=>?@[\\]{} \t\u{7f}é" {
      #expect(error("A\(character)", "c") == .invalidHeader(name: "A\(character)", value: "c"))
    }
    for end in ["\r", "\n", "\r\n", "\0"] { #expect(error("A", "b\(end)c") != nil) }
  }

  @Test("RP24: a request is made in a context, and is sent as it was made")
  func sent() throws {
    let received = Channel<ReceivedRequest>()
    try withServer { request, connection in
      received.send(request)
      connection.respond(200, request.body)
    } _: { session, server in
      let queue = DispatchQueue(label: "requests")
      queue.suspend()
      let made = URLRequest.making(
        path: server.url("/in?x=y").absoluteString, method: .put, parameters: ["text": "ä"], headers: ["X-Token": "t"],
        on: .queue(queue))
      #expect(made.state == .pending)
      queue.resume()
      let data = made.mapError { FetchError.request($0) }.flatMap { session.fetchData(from: $0) }
      #expect(data.ending().value == made.value?.httpBody)
      let request = received.receive()
      #expect(request.method == "PUT" && request.target == "/in?x=y")
      #expect(request.headers["x-token"] == "t" && request.headers["content-type"] == "application/json")
    }
    #expect(URLRequest.making(path: "a b").ending().error == .invalidURL("a b"))
  }
}
