import PluginRuntime
import Testing

@Suite("Isolation: capabilities as text")
struct CapabilityTests {
  @Test("sizes are bytes, or a number with K, M or G; times may have units, and are rounded up to seconds")
  func limits() throws {
    for (text, size) in [
      ("1", 1), ("65536", 65_536), ("3K", 3 << 10), ("512M", 512 << 20), ("2G", 2 << 30),
      ("17179869183G", UInt64(17_179_869_183) << 30),
    ] as [(String, UInt64)] {
      var capabilities = Capabilities()
      try capabilities.allow("memory=\(text)")
      #expect(capabilities.memory == size)
    }
    for (text, time, whole) in [
      ("1", .seconds(1), "1"), ("1000000000", .seconds(1_000_000_000), "1000000000"), ("5m", .seconds(300), "300"),
      ("1h30m", .seconds(5400), "5400"), ("1.5", .seconds(1.5), "2"), ("500ms", .seconds(0.5), "1"),
    ] as [(String, Duration, String)] {
      var capabilities = Capabilities()
      try capabilities.allow("cpu=\(text)")
      #expect(capabilities.cpuTime == time && capabilities.cpuText == whole)
    }
  }

  @Test(
    "capabilities of other forms are mistakes, and change nothing",
    arguments: [
      "memory=0", "memory=0K", "memory=", "memory=K", "memory=-1", "memory=12Q", "memory=1.5G", "memory=17179869184G",
      "memory=18446744073709551616", "memory", "cpu=0", "cpu=-1", "cpu=5x", "cpu=", "cpu=1000000001", "read", "read=",
      "write=", "write", "network=", "processes=1", "all=", "", "=", "Network",
    ])
  func mistakes(text: String) {
    var capabilities = Capabilities()
    let error = #expect(throws: CapabilityMistake.self) { try capabilities.allow(text) }
    #expect(error?.description.hasPrefix("\"\(text)\" ") == true)
    #expect(capabilities == Capabilities())
  }

  @Test(
    "a misspelt capability gets a suggestion, and no other does",
    arguments: [
      ("netwrok", "; did you mean \"network\"?"), ("raed=/x", "; did you mean \"read\"?"), ("read", ""), ("zzzzz", ""),
    ])
  func suggestions(text: String, hint: String) {
    var capabilities = Capabilities()
    let error = #expect(throws: CapabilityMistake.self) { try capabilities.allow(text) }
    #expect(error?.description.hasSuffix(" or all\(hint)") == true, "\(error?.description ?? "")")
  }

  @Test("a relative path starts from a folder, if one is passed")
  func paths() throws {
    var capabilities = Capabilities()
    try capabilities.allow("read=a=b/c", from: "/folder")
    try capabilities.allow("write=/d", from: "/folder")
    try capabilities.allow("write=e")
    // A mark makes one character with the sign before it.
    try capabilities.allow("write=\u{301}")
    #expect(capabilities.reads == ["/folder/a=b/c"] && capabilities.writes == ["/d", "e", "\u{301}"])
  }

  @Test("the union of capabilities has the rights of both, and the limits of the other where it has one")
  func union() throws {
    func capabilities(_ texts: String...) throws -> Capabilities {
      var capabilities = Capabilities()
      for text in texts { try capabilities.allow(text) }
      return capabilities
    }
    let none = Capabilities()
    for text in ["network", "processes", "read=/a", "write=/b", "memory=1M", "cpu=3", "all"] {
      let one = try capabilities(text)
      #expect(one != none && one.union(none) == one && none.union(one) == one, "\(text)")
    }
    let both = try capabilities("read=/a", "write=/b", "memory=1M", "cpu=3").union(
      capabilities("read=/c", "write=/d", "memory=2M", "cpu=2"))
    #expect(both == (try capabilities("read=/a", "read=/c", "write=/b", "write=/d", "memory=2M", "cpu=2")))
    #expect(Capabilities.unrestricted == (try capabilities("all")))
    // Paths that were resolved stay resolved beside those of capabilities without any.
    var resolved = try capabilities("read=/a")
    resolved.resolvePaths { $0 }
    #expect(resolved.union(none) == resolved && none.union(resolved) == resolved)
    var mixed = resolved.union(try capabilities("read=/c"))
    mixed.resolvePaths { "/x\($0)" }
    #expect(mixed.reads == ["/x/a", "/x/c"])
  }

  @Test("paths that are added after the others were resolved are resolved too")
  func resolved() throws {
    var capabilities = Capabilities()
    try capabilities.allow("read=a")
    capabilities.resolvePaths { "/\($0)" }
    try capabilities.allow("write=b")
    capabilities.resolvePaths { "/x\($0)" }
    capabilities.reads.append("c")
    capabilities.resolvePaths { "/y\($0)" }
    #expect(capabilities.reads == ["/y/x/a", "/yc"] && capabilities.writes == ["/y/xb"])
    capabilities.resolvePaths { "/z\($0)" }
    #expect(capabilities.reads == ["/y/x/a", "/yc"])
    // It leads elsewhere in the worker.
    var own = Capabilities()
    try own.allow("read=/proc/self/status")
    own.resolvePaths { "/x\($0)" }
    #expect(own.reads == ["/proc/self/status"])
  }
}
