import Foundation
import PluginRuntime
import Testing

/// The examples of docs/signatures.md.
@Suite("The signatures of docs/signatures.md")
struct DocumentedSignatures {
  private static let text = try! String(
    contentsOf: Fixture.root.appendingPathComponent("docs/signatures.md"), encoding: .utf8)

  /// The examples in indented lines, without remarks. The rest of a longer one is indented further.
  private static var indented: [String] {
    var examples: [String] = []
    var isCode = false
    var isExample = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode, line.hasPrefix("    ") else {
        isExample = false
        continue
      }
      let code = line.prefix(upTo: line.firstRange(of: "  #")?.lowerBound ?? line.endIndex)
      if line.hasPrefix("     ") {
        if isExample { examples[examples.count - 1] += code }
      } else {
        isExample = code.contains(/^    \w+\(/) && !code.hasSuffix(";")
        if isExample { examples.append(String(code.dropFirst(4))) }
      }
    }
    // An ellipsis of the text, not of C.
    return examples.filter { !$0.contains("(...)") && !$0.contains(", ..., statement") }
  }

  @Test("an example in a line of its own is a signature")
  func lines() {
    #expect(Self.indented.count >= 20)
    for example in Self.indented {
      #expect(throws: Never.self, "\(example)") { try Signature(parsing: example) }
    }
  }

  @Test("a signature in a table has the C prototype beside it")
  func tables() throws {
    let rows = Self.text.matches(of: /\| `(\w+\([^`]*)` \| `([^`]*\);)` \|/)
    #expect(rows.count >= 20)
    for row in rows {
      let signature = try Signature(parsing: String(row.1))
      let prototype = signature.cPrototype.split(separator: "\n").last ?? ""
      let rest = row.2.hasPrefix("... ") ? row.2.dropFirst(4) : row.2
      #expect(prototype.hasSuffix(rest), "\(row.1): \(prototype)")
    }
  }
}
