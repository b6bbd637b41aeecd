import Promises
import PromisesTestSupport
import Testing

@Suite("Errors: their parts as reasons")
struct ErrorParts {
  private func stored(_ error: PromiseError) -> [PromiseError?] {
    [
      Promise<Int>.reject(error).rejectReason as? PromiseError, Future<Int, PromiseError>(rejected: error).error,
      Future<Int, any Error>(rejected: error).error as? PromiseError,
      Future<Int, TestError>(cancelled: error).result?.indirectError as? PromiseError,
    ]
  }

  @Test("2.1.3.2: an error with causes that have causes is an equal error as a reason")
  func nestedCauses() {
    let root = PromiseError(domain: "net", code: 1, message: "reset")
    let middle = PromiseError(domain: "http", code: 2, message: "no answer", origin: "a.c:1", causes: [root])
    let other = PromiseError(domain: "dns", code: 3, message: "no name")
    var top = PromiseError(domain: "app", code: 4, message: "load failed", causes: [middle, other])
    #expect(top.causes.map(\.domain) == ["http", "net", "dns"] && top.causes.allSatisfy(\.causes.isEmpty))
    for error in stored(top) { #expect(error == top) }
    top.causes.append(middle)
    #expect(top.causes.map(\.domain) == ["http", "net", "dns", "http", "net"])
    for error in stored(top) { #expect(error == top) }
    #expect("\(top)".hasSuffix("because of: no answer (http 2), because of: reset (net 1)"))
  }

  @Test("2.1.3.2: parts that C could not read are changed when the error is made, not when it is a reason")
  func text() {
    var error = PromiseError(domain: "a\0b", code: 1, message: "with \0", origin: "")
    #expect(error.domain == "a" && error.message == "with \0" && error.origin == nil)
    for stored in stored(error) { #expect(stored == error) }
    error.domain = "\0"
    error.origin = "here\0there"
    #expect(error.domain == "" && error.origin == "here")
    for stored in stored(error) { #expect(stored == error) }
  }
}
