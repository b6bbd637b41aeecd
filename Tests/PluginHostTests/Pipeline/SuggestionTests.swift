import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("pakced", "packed", 1), ("packed", "packed", 0), ("", "abc", 3), ("Abc", "abd", 1), ("kitten", "sitting", 3),
  ])
  func countsDifferences(first: String, second: String, distance: Int) {
    #expect(Suggestion.distance(first, second) == distance)
    #expect(Suggestion.distance(second, first) == distance)
  }

  @Test func suggestsTheNearest() {
    #expect(Suggestion.near("pakced", among: ["stored", "packed"]) == "; did you mean \"packed\"?")
  }

  @Test func suggestsNothingThatIsFar() {
    #expect(Suggestion.near("xyz", among: ["stored", "packed"]) == "")
    #expect(Suggestion.near("xyz", among: []) == "")
  }
}
