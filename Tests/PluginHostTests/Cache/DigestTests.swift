import Testing

@testable import plugin_host

@Suite struct DigestTests {
  @Test func isThatOfThePartsAndTheirLengths() {
    // printf '\3\0\0\0\0\0\0\0abc' | sha256sum
    #expect(
      Digest { $0.add("abc") }.hexadecimal == "ce91dc5eec0139adf091900d225971d6ad246a845bad791b5693a9d0d55dd391")
    #expect(
      Digest {
        $0.add("ab")
        $0.add("c")
      }
        != Digest {
          $0.add("a")
          $0.add("bc")
        })
  }
}
