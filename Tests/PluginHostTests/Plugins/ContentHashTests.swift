import Foundation
import Testing

@testable import plugin_host

@Suite struct ContentHashTests {
  @Test("a file that is read in several parts has the hash of its whole content")
  func ofAllParts() throws {
    let file = TemporaryPath()
    try Data(repeating: 7, count: 600_000).write(to: file.url)
    // head -c 600000 /dev/zero | tr '\0' '\7' | sha256sum
    let expected = "b8414ecc3a85cd404ec365ff7cafc4493f7064a15830dfc6aee60c0675886b94"
    #expect(try ContentHash(path: file.path).description == expected)
  }
}
