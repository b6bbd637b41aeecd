import Promises
import Testing

@testable import PluginRuntime

@Suite("Isolation: calls under way in a worker")
struct RemoteCallTests {
  @Test("a call that has an error of the program is not released on the thread that serves the worker")
  func thrownErrors() throws {
    let signature = try Signature(parsing: "large() -> bytes")
    let function = RemoteFunction(FunctionDescription(signature: signature, description: nil), 0, of: "test.call")
    let call = RemoteCall(1, function, settling: Promise(), CallTerms(), number: 1, demand: ResultDemand())
    #expect(call.isPlain)
    call.thrown = [1: CancellationError()]
    #expect(!call.isPlain)
  }
}
