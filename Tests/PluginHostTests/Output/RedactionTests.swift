import Foundation
import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct RedactionTests {
  @Test("a secret is hidden in bytes, in a list too, and in the names of members")
  func redacted() {
    let secret = "hidden \(UUID().uuidString)"
    Redaction.add(secret: secret)
    let bytes = PluginValue.bytes(Array("is \(secret)".utf8))
    #expect(bytes.redacted == .string("***"))
    #expect(PluginValue.array([bytes, .int(1)]).redacted == .array([.string("***"), .int(1)]))
    let named = PluginValue.object([PluginMember("of \(secret)", .bytes([1, 2]))])
    #expect(named.redacted == .object([PluginMember("of ***", .bytes([1, 2]))]))
  }

  @Test("a list or an object whose JSON is a secret is hidden, although its parts are too short")
  func shortParts() {
    let numbers = (0..<8).map { _ in PluginValue.int(Int64.random(in: 100...999)) }
    for value in [PluginValue.array(numbers), .object(numbers.enumerated().map { PluginMember("m\($0)", $1) })] {
      Redaction.add(secret: value.json)
      #expect(value.redacted == .string("***"))
    }
  }

  @Test("the number of a secret in octal is hidden")
  func octal() {
    let number = Int64.random(in: 1 << 40..<1 << 60)
    Redaction.add(secret: "0o\(String(number, radix: 8))")
    #expect(Redaction.apply("\(number)") == "***")
  }

  @Test("each line of a secret is hidden, as output is shown line by line")
  func lines() {
    let lines = (0..<2).map { _ in UUID().uuidString }
    Redaction.add(secret: "opening-of-a-key\n  \(lines[0])\n\(lines[1])\n}")
    #expect(Redaction.apply("opening-of-a-keys | \(lines[0]) | \(lines[1]) }") == "***s | *** | *** }")
  }

  @Test("the longest of two secrets is hidden as a whole")
  func nested() {
    let secret = UUID().uuidString
    Redaction.add(secret: secret)
    Redaction.add(secret: "\(secret)-and-more")
    #expect(Redaction.apply("\(secret)-and-more, \(secret)") == "***, ***")
  }

  @Test("a secret is found in bytes, and in their base64, beside other bytes", arguments: 0..<4, 0..<4)
  func encoded(before: Int, after: Int) {
    let secret = UUID().uuidString
    Redaction.add(secret: secret)
    let bytes = PluginValue.bytes(
      [UInt8](repeating: 1, count: before) + Array(secret.utf8) + [UInt8](repeating: 2, count: after))
    #expect(Redaction.isNeeded(in: bytes) && Redaction.isNeeded(in: .object([PluginMember("a", .array([bytes]))])))
    #expect(Redaction.apply("x \(bytes.json) y").contains("***"))
    #expect(bytes.redacted == .string("***"))
    #expect(!Redaction.isNeeded(in: .bytes([UInt8](repeating: 1, count: 100))))
  }

  @Test("the digits of numbers that no value holds are hidden, and so are texts beside them")
  func digits() {
    let part = UUID().uuidString
    Redaction.add(secret: "{\"password\": \"\(part)\", \"a\": 918446744073709551616000, \"b\": 1e4321}")
    #expect(Redaction.apply("\(part) 918446744073709551616000 1e4321") == "*** *** ***")
  }

  @Test(
    "a secret is hidden in JSON within JSON, at any depth, and text beside it is not",
    arguments: [
      "a\"b", "\"ab\"", "a\\b", "ab\\", "\\ab", "a\tb\n", "a\u{1}b", "a/b\\\"\\c", "\u{1F600}b\"",
    ])
  func nestedJSON(form: String) throws {
    let secret = form.replacing("b", with: UUID().uuidString)
    Redaction.add(secret: secret)
    for (before, after) in [("", ""), ("x", "y"), ("\\", "\\"), ("x\"", "\"y"), ("\t", "\t")] {
      var (text, hidden) = (before + secret + after, before + "***" + after)
      for depth in 0..<6 {
        let shown = Redaction.apply(text)
        #expect(shown.contains("***") && !shown.contains(secret.suffix(30)), "\(depth): \(text)")
        // Backslashes beside a secret that begins with a quote, or ends with a backslash, may be its own.
        let isOwn = before.hasSuffix("\\") && secret.first?.isLetter != true
        if !isOwn, !(after.hasPrefix("\\") && secret.hasSuffix("\\")) {
          #expect(shown == hidden, "\(depth): \(text)")
        }
        (text, hidden) = (PluginValue.string(text).json, PluginValue.string(hidden).json)
      }
    }
  }

  @Test("a secret is hidden in JSON of a program that escapes more than it must")
  func escapedJSON() {
    let secret = "\(UUID().uuidString)/\u{E9}\u{1F600}\""
    Redaction.add(secret: secret)
    let escaped = secret.unicodeScalars.reduce("") { text, scalar in
      text + String(scalar).utf16.reduce("") { $0 + "\\u" + String(UInt32($1) + 0x10000, radix: 16).dropFirst() }
    }
    #expect(Redaction.apply("[\"\(escaped)\"]") == "[\"***\"]")
    #expect(Redaction.apply(secret.replacing("/", with: "\\/").replacing("\"", with: "\\\"")) == "***")
  }

  @Test("the shortest secret that is hidden has four characters, and one of seven bytes is hidden in base64")
  func short() {
    for secret in ["q#7", "q#7Z"] { Redaction.add(secret: secret) }
    #expect(Redaction.apply("is q#7 or q#7Z") == "is q#7 or ***")
    Redaction.add(secret: "k7#Q!zX")
    let bytes = PluginValue.bytes(Array("is k7#Q!zX.".utf8))
    #expect(!Redaction.apply(PluginValue.bytes(Array("k7#Q!zX".utf8)).json).contains("azcjUSF6"))
    #expect(Redaction.apply(bytes.json).contains("***"))
  }

  @Test("a secret that is a number, or has JSON in it, is hidden in its other forms")
  func forms() {
    Redaction.add(secret: "7.2519036e4")
    #expect(Redaction.apply("72519.036") == "***")
    // The forms in which a call takes an integer.
    for (secret, number) in [
      ("+8317552", "8317552"), ("0x7eea5f", "8317535"), ("-0x7eea60", "-8317536"), ("+83.17559", "83.17559"),
    ] {
      Redaction.add(secret: secret)
      #expect(Redaction.apply("is \(number).") == "is ***.", "\(secret)")
    }
    let part = UUID().uuidString
    Redaction.add(secret: "{\"password\": \"\(part)\"}")
    #expect(Redaction.apply("password \(part)") == "password ***")
    let quoted = "\(part)\"q"
    Redaction.add(secret: quoted)
    #expect(Redaction.apply(PluginValue.string(quoted).json) == "\"***\"")
    #expect(Redaction.apply(PluginValue.bytes(Array(quoted.utf8)).json) == "\"***\"")
  }
}
