import Testing

@testable import Promises

@Suite("Engine: times as text")
struct Decimals {
  private struct Text: TextOutput {
    var bytes: [UInt8] = []
    mutating func write(_ byte: UInt8) { bytes.append(byte) }
    var string: String { String(decoding: bytes, as: UTF8.self) }
  }

  @Test(
    "microseconds have three decimals",
    arguments: [(0, "0.000"), (1, "0.001"), (1100, "1.100"), (12_345, "12.345"), (999_909, "999.909")]
      as [(Int64, String)])
  func microseconds(nanoseconds: Int64, shown: String) {
    var text = Text()
    text.write(microseconds: nanoseconds)
    #expect(text.string == shown)
  }

  @Test(
    "seconds have three decimals",
    arguments: [
      (0, "0.000 s"), (999_999, "0.000 s"), (1_100_000_000, "1.100 s"), (12_345_678_901, "12.345 s"),
      (60_909_000_000, "60.909 s"),
    ] as [(Int64, String)])
  func seconds(nanoseconds: Int64, shown: String) {
    var text = Text()
    text.write(seconds: nanoseconds)
    #expect(text.string == shown)
  }
}
