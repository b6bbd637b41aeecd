import Foundation
import PromisesFoundation
import Testing

@Suite("A path into decoded JSON")
struct JSONPathTests {
  private let json: Any

  init() throws {
    let text = #"""
      {
        "users": [{"name": "Ada", "tags": [[1, 2], [3]]}, {"name": null}], "": "empty", "a": {"": 1, "[0]": 2, "[x]": 3},
        "0": "zero", "[]": "brackets", "[-1]": "minus", "[+1]": "plus", "[٣]": "three", "é": 4
      }
      """#
    json = try JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  @Test(
    "EA38: keys and indices lead to a value; empty parts are ignored",
    arguments: [
      ("users/[0]/name", "Ada"), ("/users//[0]/name/", "Ada"), ("users/[0]/tags/[0]/[1]", "2"),
      ("users/[00]/name", "Ada"), ("0", "zero"), ("a/[x]", "3"), ("[]", "brackets"), ("[-1]", "minus"),
      ("[+1]", "plus"),
      ("[٣]", "three"), ("e\u{301}", "4"),
    ])
  func found(path: String, expected: String) {
    #expect(jsonValue(at: path, in: json).map { "\($0)" } == expected)
  }

  @Test(
    "EA38: a path that leads to nothing gives nil",
    arguments: [
      "nobody", "users/name", "users/[2]", "users/[2]/name", "users/[-1]", "users/0", "users/[0]/name/first",
      "users/[0]/[0]", "users/[99999999999999999999]", "a/[0]", "users/[1]/name/x", "[0]", "users/[0", "users/0]",
    ])
  func missing(path: String) {
    #expect(jsonValue(at: path, in: json) == nil)
  }

  @Test("EA38: null is a value; the empty path leads to all; nothing leads to nothing; fragments have no parts")
  func edges() {
    #expect(jsonValue(at: "users/[1]/name", in: json) is NSNull)
    #expect((jsonValue(at: "", in: json) as? [String: Any])?.count == 9)
    #expect((jsonValue(at: "//", in: json) as? [String: Any])?.count == 9)
    #expect(jsonValue(at: "", in: nil) == nil && jsonValue(at: "a", in: nil) == nil)
    #expect(jsonValue(at: "", in: 7) as? Int == 7 && jsonValue(at: "[0]", in: 7) == nil)
    #expect(jsonValue(at: "[1]/a", in: [1, ["a": 5]] as [Any]) as? Int == 5)
  }
}
