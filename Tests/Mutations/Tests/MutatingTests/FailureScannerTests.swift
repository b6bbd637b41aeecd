import Mutating
import Testing

@Suite("Failures in the output of tests")
struct FailureScannerTests {
  @Test(
    "failures",
    arguments: [
      "✘ Test a() recorded an issue at A.swift:1:2: Expectation failed: x",
      "✘ Test \"a name\" recorded an issue with 1 argument value → 1 at A.swift:1:2: Expectation failed: x",
      "✘ Suite A recorded an issue at A.swift:1:2: Caught error: x",
      "✘ Test a() failed after 0.1 seconds with 1 issue.",
      "\u{1B}[91m✘\u{1B}[0m Test a() recorded an issue at A.swift:1:2: Expectation failed: x",
      "written by the test✘ Test a() recorded an issue at A.swift:1:2: Issue recorded",
    ])
  func failures(_ line: String) {
    var scanner = FailureScanner()
    scanner.take("◇ Test a() started.\n\(line)".utf8)
    #expect(!scanner.hasFailure, "the line may be longer")
    scanner.take("\n".utf8)
    #expect(scanner.hasFailure)
  }

  @Test(
    "other lines",
    arguments: [
      "✔ Test a() passed after 0.1 seconds.", "✘ Test a() recorded a known issue at A.swift:1:2: x",
      "✘ Test a() passed after 0.1 seconds with 1 known issue.", "Test a() failed after 0.1 seconds",
      "✘ the program says that it failed after 0.1 seconds",
    ])
  func others(_ line: String) {
    var scanner = FailureScanner()
    scanner.take("\(line)\n".utf8)
    #expect(!scanner.hasFailure)
  }

  @Test("pieces end anywhere, within a character too")
  func pieces() {
    var scanner = FailureScanner()
    for byte in "✔ Test b() passed.\n✘ Test a() recorded an issue at A.swift:1:2: x\n".utf8 { scanner.take([byte]) }
    #expect(scanner.hasFailure)
  }
}
