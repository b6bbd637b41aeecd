import Testing

@testable import PluginRuntime

@Suite("Isolation: CBOR")
struct Encoding {
  /// Examples of RFC 8949, appendix A, as far as values have them.
  static let table: [(PluginValue, String)] = [
    (.uint(0), "00"), (.uint(23), "17"), (.uint(24), "1818"), (.uint(100), "1864"), (.uint(1000), "1903e8"),
    (.uint(1_000_000), "1a000f4240"), (.uint(1_000_000_000_000), "1b000000e8d4a51000"),
    (.uint(.max), "1bffffffffffffffff"), (.int(-1), "20"), (.int(-10), "29"), (.int(-100), "3863"),
    (.int(-1000), "3903e7"), (.int(.min), "3b7fffffffffffffff"), (.double(0), "f90000"), (.double(-0.0), "f98000"),
    (.double(1), "f93c00"), (.double(1.1), "fb3ff199999999999a"), (.double(1.5), "f93e00"), (.double(65504), "f97bff"),
    (.double(100_000), "fa47c35000"), (.double(3.4028234663852886e+38), "fa7f7fffff"),
    (.double(1.0e+300), "fb7e37e43c8800759c"),
    (.double(5.960464477539063e-8), "f90001"), (.double(0.00006103515625), "f90400"), (.double(-4), "f9c400"),
    (.double(-4.1), "fbc010666666666666"), (.double(.infinity), "f97c00"), (.double(-.infinity), "f9fc00"),
    (.bool(false), "f4"), (.bool(true), "f5"), (.void, "f6"), (.bytes([]), "40"), (.bytes([1, 2, 3, 4]), "4401020304"),
    (.string(""), "60"), (.string("IETF"), "6449455446"), (.string("\u{fc}"), "62c3bc"),
    (.string("\u{6c34}"), "63e6b0b4"),
    (.array([]), "80"), (.array([.uint(1), .array([.uint(2), .uint(3)])]), "8201820203"),
    // The tags for distinctions that CBOR does not make.
    (.int(5), "d9a00005"), (.pointer(PluginPointer(name: "a", address: 7)), "d9a00182616107"),
    (.object([PluginMember("b", .void), PluginMember("a", .uint(1))]), "d9a002846162f6616101"),
  ]

  @Test("CBOR has the bytes of the RFC, both ways", arguments: table.indices)
  func examples(index: Int) throws {
    let (value, text) = Self.table[index]
    #expect(Self.hexadecimal(try CBOREncoder.encode(value)) == text)
    #expect(Self.isSame(try CBORDecoder.decode(Self.bytes(text)[...]), value))
  }

  @Test(
    "CBOR keeps the payload of a NaN", arguments: [0x7FF8_0000_0000_0000, 0xFFF8_0000_0000_0001, 0x7FF4_0000_2000_0000])
  func payload(pattern: UInt64) throws {
    let decoded = try CBORDecoder.decode(try CBOREncoder.encode(.double(Double(bitPattern: pattern)))[...])
    guard case .double(let number) = decoded else { return #expect(Bool(false)) }
    #expect(number.bitPattern == pattern)
  }

  @Test(
    "CBOR refuses bytes that are not the canonical encoding of a value",
    arguments: [
      "", "18", "1817", "190001", "1a0000ffff", "1b00000000ffffffff", "1c", "1f", "3bffffffffffffffff", "41", "5f",
      "61ff",
      "6261", "81", "9affffffff", "9b7fffffffffffffff", "9f", "a0", "a1", "bf", "c0", "d9a000", "d9a00020", "d9a00082",
      "d9a00182616100", "d9a001806161", "d9a002816161", "d9a00284616101616102", "d9a0028201f6",
      "82d9a00181616101f6", "e0", "f0", "f7",
      "f818",
      "fa3f800000", "fb3ff0000000000000", "f9", "fa", "fb", "fc", "ff", "f6f6", "d9a00300", "d818",
    ])
  func refusals(text: String) throws {
    #expect(throws: CBORError.self) { try CBORDecoder.decode(Self.bytes(text)[...]) }
  }

  @Test("CBOR has portable bytes of values without addresses")
  func portable() throws {
    for (value, text) in Self.table {
      if case .pointer = value {
        #expect(value.portableBytes == nil && PluginValue(portableBytes: Self.bytes(text)) == nil)
        #expect(PluginValue.array([.void, value]).portableBytes == nil)
        #expect(PluginValue.object([PluginMember("p", value)]).portableBytes == nil)
      } else {
        let bytes = try #require(value.portableBytes)
        #expect(Self.isSame(try #require(PluginValue(portableBytes: bytes)), value))
      }
    }
    #expect(PluginValue(portableBytes: [0, 0]) == nil)
  }

  @Test("CBOR limits the depth of values, of those sent and of those received")
  func depth() throws {
    var value = PluginValue.void
    for _ in 0..<CBOR.maximumDepth { value = .array([value]) }
    let bytes = try CBOREncoder.encode(value)
    #expect(try CBORDecoder.decode(bytes[...]) == value)
    #expect(throws: CBORError.self) { try CBOREncoder.encode(.array([value])) }
    #expect(throws: CBORError.self) { try CBORDecoder.decode(([0x81] + bytes)[...]) }
    #expect(throws: CBORError.self) {
      try CBORDecoder.decode([UInt8](repeating: 0x81, count: 1_000_000)[...])
    }
  }

  @Test("CBOR decoding gives a value or an error for any bytes, and the value has no other encoding")
  func fuzz() {
    var random = SystemRandomNumberGenerator()
    var decoded = 0
    for _ in 0..<20_000 {
      var bytes = Self.bytes(Self.table.randomElement(using: &random)?.1 ?? "")
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let other = Self.bytes(Self.table.randomElement(using: &random)?.1 ?? "")
        bytes = [[0x82] + bytes + other, bytes + other, Array(bytes.dropLast())][Int.random(in: 0...2, using: &random)]
      }
      if Bool.random(using: &random), !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let value = try? CBORDecoder.decode(bytes[...]) else { continue }
      decoded += 1
      #expect((try? CBOREncoder.encode(value)) == bytes)
    }
    #expect(decoded > 1_000)
  }

  @Test("the rules of a worker are read whole, or not at all")
  func rules() throws {
    func read(_ rules: PluginValue...) throws -> [String]?? {
      let body = PluginValue.array([.bool(false), .bool(false), .uint(0), .uint(0), .array(rules)])
      return ConfinementPlan.read(try CBOREncoder.encode(body)[...]).map { $0?.rules.map(\.path) }
    }
    let rule = PluginValue.array([.string("/a"), .uint(1)])
    #expect(try read(rule) == ["/a"])
    let wrong: [PluginValue] = [
      .void, .array([.string("/b")]), .array([.uint(1), .string("/b")]), .array([.string("/b"), .uint(1), .uint(1)]),
    ]
    for wrong in wrong { #expect(try read(rule, wrong) == nil, "\(wrong)") }
    #expect(ConfinementPlan.read([0xFF]) == nil)
  }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func bytes(_ text: String) -> [UInt8] {
    var rest = text[...]
    var bytes: [UInt8] = []
    while !rest.isEmpty {
      bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  /// Equality that distinguishes 0 from -0.
  private static func isSame(_ one: PluginValue, _ other: PluginValue) -> Bool {
    if case .double(let one) = one, case .double(let other) = other { return one.bitPattern == other.bitPattern }
    return one == other
  }
}

@Suite("Isolation: frames")
struct Frames {
  @Test("frames come out of a stream as they were sent, however it is cut")
  func cuts() throws {
    let frames = [
      Frame(.call, 7, .array([.string("f"), .bytes([UInt8](repeating: 1, count: 300))])), Frame(.unload),
      Frame(.log, .max),
    ]
    var stream: [UInt8] = []
    for frame in frames { stream += try frame.encoded().bytes }
    for size in [1, 2, 7, 16, 17, 1000] {
      var reader = FrameReader()
      var seen: [Frame] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        stream[start..<min(start + size, stream.count)].withUnsafeBytes { reader.append($0) }
        while let frame = try reader.next() { seen.append(frame) }
      }
      #expect(seen.map(\.kind) == frames.map(\.kind) && seen.map(\.request) == frames.map(\.request))
      #expect(seen.map(\.body) == frames.map(\.body))
    }
  }

  @Test(
    "a malformed frame is refused at its header",
    arguments: [
      ("another version", [0, 0, 0, 0, 2, 1, 0, 0]), ("an unknown kind", [0, 0, 0, 0, 1, 200, 0, 0]),
      ("memory that did not come", [0, 0, 0, 0, 1, 1, 1, 0]), ("4 GiB", [255, 255, 255, 255, 1, 1, 0, 0]),
      ("a body that is not a value", [1, 0, 0, 0, 1, 1, 0, 0]),
    ] as [(String, [UInt8])])
  func refusals(name: String, header: [UInt8]) {
    var reader = FrameReader()
    (header + [UInt8](repeating: 0xFF, count: 9)).withUnsafeBytes { reader.append($0) }
    #expect(throws: FrameError.self) { try reader.next() }
  }

  @Test("frames with handles of another worker are refused")
  func handles() throws {
    let (own, other) = (HandleTable.upperHalf(1), HandleTable.upperHalf(2))
    for (half, isRight) in [(own, true), (other, false), (0, false)] {
      var reader = FrameReader(handles: HandleLeases(worker: 1) {})
      let frame = Frame(.fulfilled, 1, .pointer(PluginPointer(name: "x", address: half | 1)))
      try frame.encoded().bytes.withUnsafeBytes { reader.append($0) }
      if isRight {
        #expect(try reader.next()?.body == frame.body)
      } else {
        #expect(throws: FrameError.self) { try reader.next() }
      }
    }
  }
}
