import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct StoredValueTests {
  private static let values: [PluginValue] = [
    .void, .bool(true), .bool(false), .int(.min), .int(-1), .uint(.max), .double(-0.1), .double(.infinity),
    .string(""), .string("日本\0"), .bytes([]), .bytes([0, 255]), .array([]), .array([.int(1), .array([.void])]),
    .object([PluginMember("a", .object([])), PluginMember("", .string("x"))]),
  ]

  @Test(arguments: values)
  func comesBack(value: PluginValue) throws {
    let bytes = try #require(StoredValue.bytes(of: value))
    #expect(StoredValue.value(of: bytes) == value)
  }

  @Test(arguments: values)
  func refusesTruncatedData(value: PluginValue) throws {
    let bytes = try #require(StoredValue.bytes(of: value))
    for count in 0..<bytes.count { #expect(StoredValue.value(of: Array(bytes[..<count])) == nil) }
    #expect(StoredValue.value(of: bytes + [0]) == nil)
  }

  @Test func refusesAddresses() {
    let pointer = PluginValue.pointer(PluginPointer(name: "File", address: 1))
    #expect(StoredValue.bytes(of: .array([.int(1), pointer])) == nil)
    #expect(StoredValue.bytes(of: .object([PluginMember("p", pointer)])) == nil)
  }

  @Test(
    arguments: [[8, 255, 255, 255, 255, 255, 255, 255, 255], [10], [6, 1, 0, 0, 0, 0, 0, 0, 0, 0xFF]] as [[UInt8]])
  func refusesDataThatIsNotAValue(bytes: [UInt8]) {
    #expect(StoredValue.value(of: bytes) == nil)
  }

  @Test func survivesDeepNesting() {
    let level: [UInt8] = [8, 1, 0, 0, 0, 0, 0, 0, 0]
    #expect(StoredValue.value(of: Array(repeatElement(level, count: 100_000).joined())) == nil)
  }
}

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
