import Glibc
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Isolation: the handles of a worker")
struct HandleTableTests {
  private let table = HandleTable(worker: 3)

  /// Returns the handle of an address that is exported.
  private func export(_ pointer: PluginPointer) throws -> PluginPointer {
    guard case .pointer(let handle) = try table.exported(.pointer(pointer)) else { throw CancellationError() }
    return handle
  }

  /// Releases exports by the number of the handle.
  private func release(_ handle: PluginPointer, _ exports: UInt64) throws {
    _ = try table.release(.array([.uint(UInt64(handle.address & 0xFFFF_FFFF)), .uint(exports)]))
  }

  @Test("a handle is refused for another type than the one it was made for")
  func names() throws {
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
    var handles: [PluginValue] = []
    // The library may release an object by itself, and make another one there.
    let lives = (0..<2).map { _ in ObjectLife(PluginPointer(name: "a", address: address), destructor) }
    for (number, life) in lives.enumerated() {
      let object = PluginObject(life, number, in: objects, from: [])
      let pointer = PluginPointer(name: "a", address: address, reference: object)
      let handle = try table.exported(.pointer(pointer))
      guard case .pointer(let found) = try table.imported(handle) else { return #expect(Bool(false)) }
      #expect(found.object === object)
      handles.append(handle)
      try life.take(for: "the library")
    }
    // The first handle stays that of the object that was released.
    guard case .pointer(let first) = try table.imported(handles[0]) else { return #expect(Bool(false)) }
    #expect(first.object?.life === lives[0])
    free(UnsafeMutableRawPointer(bitPattern: address))
  }

  @Test("a handle is held until the host has released as many exports as there were")
  func exports() throws {
    let pointer = PluginPointer(name: "a", address: 8)
    let handle = try export(pointer)
    // The address is exported again while the release of the first export is on its way.
    #expect(try export(pointer) == handle)
    try release(handle, 1)
    #expect(try table.imported(.pointer(handle)) == .pointer(pointer))
    #expect(try export(pointer) == handle)
    try release(handle, 2)
    #expect(table.count == 0)
    let error = #expect(throws: ArgumentMismatch.self) { try table.imported(.pointer(handle)) }
    #expect(error?.message == "is not a handle of a a")
    // A number is not used again for long.
    let other = try export(pointer)
    #expect(other != handle && table.count == 1)
  }

  @Test("a release of exports that the worker has not sent is refused, as one of an unknown form")
  func refusals() throws {
    let handle = try export(PluginPointer(name: "a", address: 8))
    let number = UInt64(handle.address & 0xFFFF_FFFF)
    for (unknown, exports) in [(number, 2), (number, 0), (number + 1, 1), (0, 1), (number | 1 << 32, 1)] {
      let error = #expect(throws: FrameError.self) {
        try table.release(.array([.uint(unknown), .uint(UInt64(exports))]))
      }
      #expect(error?.description.contains("a release of \(exports) exports of the handle ") == true)
    }
    for body in [.void, .array([.uint(number)]), .array([.uint(number), .int(1)])] as [PluginValue] {
      let error = #expect(throws: FrameError.self) { try table.release(body) }
      #expect(error?.description == "a release of handles of an unknown form")
    }
    #expect(table.count == 1)
  }

  @Test("a value that cannot be sent leaves no exports behind")
  func withdrawn() throws {
    let pointers = [8, 16, 8].map { PluginValue.pointer(PluginPointer(name: "a", address: $0)) }
    let value = PluginValue.array([.object([PluginMember("x", pointers[0])]), pointers[1], pointers[2]])
    let exported = try table.exported(value)
    #expect(table.count == 2)
    table.withdraw(exported)
    #expect(table.count == 0)
  }

  @Test("the ends of many leases wake the sending thread once, and are few frames")
  func coalescing() throws {
    let wakes = Atomic<Int>(0)
    let leases = HandleLeases(worker: 3) { wakes.add(1, ordering: .relaxed) }
    #expect(leases.releases().isEmpty)
    #expect(leases.lease("a", HandleTable.upperHalf(4) | 1) == nil)
    let upper = HandleTable.upperHalf(3)
    var handles = (1...10_000).map { leases.lease("a", upper | UInt($0)) }
    handles += (1...10_000).map { leases.lease("a", upper | UInt($0)) }
    #expect(wakes.load(ordering: .relaxed) == 0)
    handles = []
    #expect(wakes.load(ordering: .relaxed) == 1)
    let frames = leases.releases()
    #expect(frames.count == 3 && frames.allSatisfy { $0.kind == .release })
    var counts: [UInt64: UInt64] = [:]
    for case .array(let parts) in frames.map(\.body) {
      for index in stride(from: 0, to: parts.count, by: 2) {
        guard case .uint(let number) = parts[index], case .uint(let count) = parts[index + 1] else { continue }
        counts[number] = count
      }
    }
    #expect(counts.count == 10_000 && counts.values.allSatisfy { $0 == 2 })
    #expect(leases.releases().isEmpty)
    // After the end of the worker there is nobody to wake.
    var last = leases.lease("a", upper | 1)
    #expect(last != nil)
    leases.end()
    last = nil
    #expect(wakes.load(ordering: .relaxed) == 1 && leases.releases().isEmpty)
  }
}
