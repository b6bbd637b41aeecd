import Promises
import PromisesFoundation
import PromisesTestSupport
import Testing

@Suite("Errors of a fetch")
struct FetchErrorTests {
  @Test("RP27: the text of an error has its reason")
  func texts() {
    let wrong = RequestError.invalidURL("a b")
    #expect("\(FetchError.request(wrong))" == "no request was sent: \(wrong)")
    #expect("\(FetchError.notHTTP)".hasPrefix("the response is not one of HTTP: expected a URL that starts with "))
    #expect("\(FetchError.decoding(TestError(3)))" == "the response cannot be decoded: \(TestError(3))")
  }
}
