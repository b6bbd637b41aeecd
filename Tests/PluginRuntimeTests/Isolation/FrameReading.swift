import Glibc
import Testing

@testable import PluginRuntime

@Suite("Isolation: frames and handles as they are read")
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

  @Test("a handle is refused for another type than the one it was made for")
  func names() throws {
    let table = HandleTable(worker: 3)
    let pointer = PluginValue.pointer(PluginPointer(name: "a", address: 8))
    guard case .pointer(let handle) = try table.exported(pointer) else { return #expect(Bool(false)) }
    #expect(try table.imported(.pointer(handle)) == pointer)
    let error = #expect(throws: ArgumentMismatch.self) {
      try table.imported(.pointer(PluginPointer(name: "b", address: handle.address)))
    }
    #expect(error?.message == "is not a handle of a b")
  }

  @Test("a handle of an object at the address of an earlier one is that of the later object")
  func addressesThatAreUsedAgain() throws {
    let function = try #require(dlsym(nil, "free"))
    let destructor = try #require(Destructor("free", function, plugin: "test"))
    let objects = LiveObjects(ending: { $1() }) { _, message in Issue.record("\(message)") }
    let address = UInt(bitPattern: malloc(1))
    let table = HandleTable(worker: 3)
    // The library may release an object by itself, and make another one there.
    let lives = (0..<2).map { _ in ObjectLife(PluginPointer(name: "a", address: address), destructor) }
    for (number, life) in lives.enumerated() {
      let object = PluginObject(life, number, in: objects, from: [])
      let pointer = PluginPointer(name: "a", address: address, object: object)
      let handle = try table.exported(.pointer(pointer))
      guard case .pointer(let found) = try table.imported(handle) else { return #expect(Bool(false)) }
      #expect(found.object === object)
      try life.take(for: "the library")
    }
    free(UnsafeMutableRawPointer(bitPattern: address))
  }
}
