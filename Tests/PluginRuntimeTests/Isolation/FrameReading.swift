import Testing

@testable import PluginRuntime

@Suite("Isolation: frames as they are read")
struct FrameReading {
  /// Appends chunks that never end where a frame does, as reads from a socket under load.
  @Test("a reader keeps no bytes that its frames have taken")
  func memory() throws {
    let frame = try Frame(.fulfilled, 1, .string(String(repeating: "x", count: 1 << 14))).encoded().bytes
    var reader = FrameReader()
    var stream = frame[...]
    var frames = 0
    for _ in 0..<1_000 {
      stream += frame
      let chunk = Array(stream.dropLast(7))
      stream = stream.suffix(7)
      chunk.withUnsafeBytes { reader.append($0) }
      while let next = try reader.next() {
        #expect(next.kind == .fulfilled)
        frames += 1
      }
    }
    #expect(frames == 1_000)
    let kept = Mirror(reflecting: reader).children.first { $0.label == "bytes" }?.value as? [UInt8]
    #expect(try #require(kept).count < 2 << 20)
  }
}
