import Foundation
import FoundationNetworking
import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

/// A transfer whose response is not one of HTTP.
private final class PlainProtocol: URLProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "plain" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func startLoading() {
    let response = URLResponse(url: request.url!, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocolDidFinishLoading(self)
  }
  override func stopLoading() {}
}

@Suite("Errors of a fetch")
struct FetchErrorTests {
  @Test("RP27: a response that is not one of HTTP is an error")
  func notHTTP() throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [PlainProtocol.self]
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    let url = try #require(URL(string: "plain://host/path"))
    #expect(session.fetch(from: url).ending().errorKind == "notHTTP")
  }

  @Test("RP27: the text of an error has its reason")
  func texts() {
    let wrong = RequestError.invalidURL("a b")
    #expect("\(FetchError.request(wrong))" == "no request was sent: \(wrong)")
    #expect("\(FetchError.notHTTP)".hasPrefix("the response is not one of HTTP: expected a URL that starts with "))
    #expect("\(FetchError.decoding(TestError(3)))" == "the response cannot be decoded: \(TestError(3))")
  }
}
