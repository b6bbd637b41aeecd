import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct ArgumentTextTests {
  @Test(arguments: [
    ("-", ArgumentText.standardInput), ("@-", .standardInput), ("@file", .file("file")), ("@@x", .file("@x")),
    ("@", .file("")), ("", .literal("")), ("text", .literal("text")), ("-5", .literal("-5")), ("a@b", .literal("a@b")),
    ("\\@x", .literal("@x")), ("\\-", .literal("-")), ("\\-x", .literal("-x")), ("\\\\", .literal("\\")),
    ("\\\\@x", .literal("\\@x")), ("\\d+", .literal("\\d+")), ("\\", .literal("\\")),
  ])
  func reads(text: String, expected: ArgumentText) {
    #expect(ArgumentText(text) == expected)
  }

  @Test func saysWhichFileCannotBeRead() {
    #expect(throws: UnreadableInput(message: "/no/such: No such file or directory")) {
      try ArgumentText("@/no/such").content()
    }
    #expect(throws: UnreadableInput(message: "/: Is a directory")) { try ArgumentText("@/").content() }
    #expect(throws: UnreadableInput(message: "\"@\" without a path: No such file or directory")) {
      try ArgumentText("@").content()
    }
  }
}

@Suite struct SecondsTests {
  @Test(arguments: [
    ("30", 30), ("0.5", 0.5), ("1e-3", 0.001), ("5s", 5), ("5m", 300), ("1.5h", 5400), ("250ms", 0.25), ("1h30m", 5400),
    ("1d", 86_400),
  ])
  func takes(text: String, value: Double) { #expect(Seconds(text)?.value == value) }

  @Test(arguments: [
    "", "0", "-1", "nan", "inf", "1e300", " 5", "5x", "m", "5m5", "5m1h", "0s", "-5m", "5 m", "1e9d", "5M",
  ])
  func refuses(text: String) { #expect(Seconds(text) == nil) }
}
