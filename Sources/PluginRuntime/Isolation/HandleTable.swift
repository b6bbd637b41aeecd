import Synchronization

/// The addresses that a worker has sent to its host. Outside of the worker an address is a handle: a number that is
/// bound to the worker process and is not an address of any process.
///
///     63  62  61...32        31...0
///     0   1   the worker     the number of the handle, from 1
///
///     absent --exported()--> held, with the number of its exports --release() of all exports--> absent
///
/// A held handle keeps the object at its address alive. Each time that the address is sent is an export. The host
/// releases exports that it no longer uses, with their number: an export that is on its way meanwhile counts on. A
/// number is used again after 2^32 others.
final class HandleTable: Sendable {
  private struct Entry {
    var pointer: PluginPointer
    var exports: UInt64
  }

  private struct State {
    var entries: [UInt32: Entry] = [:]
    /// The numbers of the latest handles by addresses, which hold no objects.
    var numbers: [PluginPointer: UInt32] = [:]
    var last: UInt32 = 0

    /// Counts an export. Returns the number of the handle; `nil` if there are too many.
    mutating func export(_ pointer: PluginPointer) -> UInt32? {
      if let number = numbers[pointer], let entry = entries[number], entry.pointer.mayBe(pointer) {
        // A function may have passed on the ownership of an object whose address was sent before.
        if pointer.object != nil { entries[number]?.pointer = pointer }
        entries[number]?.exports += 1
        return number
      }
      guard entries.count < HandleTable.maximum else { return nil }
      repeat { last &+= 1 } while last == 0 || entries[last] != nil
      entries[last] = Entry(pointer: pointer, exports: 1)
      numbers[PluginPointer(name: pointer.name, address: pointer.address)] = last
      return last
    }

    /// Releases exports of a handle. Returns the object that no handle holds any more.
    ///
    /// - Throws: `FrameError` if the handle does not have so many.
    mutating func release(_ number: UInt64, _ exports: UInt64) throws(FrameError) -> PluginObject? {
      let entry = UInt32(exactly: number).flatMap { entries[$0] }
      let number = UInt32(truncatingIfNeeded: number)
      guard let entry, exports > 0, exports <= entry.exports else {
        throw FrameError(
          description: "a release of \(exports) exports of the handle \(number), which has \(entry?.exports ?? 0)")
      }
      entries[number]?.exports -= exports
      guard exports == entry.exports else { return nil }
      entries[number] = nil
      if numbers[entry.pointer] == number { numbers[entry.pointer] = nil }
      return entry.pointer.object
    }
  }

  private let worker: UInt
  private let state = Mutex(State())

  /// Creates a table. `worker`: different for each worker process of a host, in 30 bits.
  init(worker: UInt32) { self.worker = Self.upperHalf(worker) }

  /// Returns the bits that all handles of a worker share.
  static func upperHalf(_ worker: UInt32) -> UInt { 1 << 62 | UInt(worker & 0x3FFF_FFFF) << 32 }

  /// The maximum number of handles that a worker holds.
  private static let maximum = 1 << 24

  /// The number of handles that the worker holds.
  var count: Int { state.withLock(\.entries.count) }

  /// Returns a value for the host, with handles in place of addresses. Each handle is an export, which the host
  /// releases once no value of it refers to the handle.
  ///
  /// - Throws: `ArgumentMismatch` if there are too many.
  func exported(_ value: PluginValue) throws(ArgumentMismatch) -> PluginValue {
    var numbers: [UInt32] = []
    do throws(ArgumentMismatch) {
      return try value.replacingPointers { (pointer) throws(ArgumentMismatch) in
        guard let number = state.withLock({ $0.export(pointer) }) else {
          throw ArgumentMismatch(
            message: "is one address too many: a worker process holds at most \(Self.maximum), expected a program that "
              + "releases some")
        }
        numbers.append(number)
        return PluginPointer(name: pointer.name, address: worker | UInt(number))
      }
    } catch {
      withdraw(numbers)
      throw error
    }
  }

  /// Takes back the exports of a value that cannot be sent.
  func withdraw(_ exported: PluginValue) {
    var numbers: [UInt32] = []
    _ = try? exported.replacingPointers { handle in
      numbers.append(UInt32(truncatingIfNeeded: handle.address))
      return handle
    }
    withdraw(numbers)
  }

  private func withdraw(_ numbers: [UInt32]) {
    // Released outside the lock: without a thread for it, the destructor of an object runs in the release.
    let objects = numbers.map { number in
      state.withLock { (state) -> PluginObject? in try? state.release(UInt64(number), 1) }
    }
    withExtendedLifetime(objects) {}
  }

  /// Releases the exports of a frame of the host: [number, exports, number, exports...]. Returns the objects that no
  /// handle holds any more.
  ///
  /// - Throws: `FrameError` if it is malformed, or releases more exports than there are.
  func release(_ body: PluginValue) throws(FrameError) -> [PluginObject] {
    guard case .array(let parts) = body, parts.count.isMultiple(of: 2) else { throw Self.malformed }
    var objects: [PluginObject] = []
    for index in stride(from: 0, to: parts.count, by: 2) {
      guard case .uint(let number) = parts[index], case .uint(let exports) = parts[index + 1] else {
        throw Self.malformed
      }
      let object = try state.withLock { (state) throws(FrameError) in try state.release(number, exports) }
      if let object { objects.append(object) }
    }
    return objects
  }

  private static var malformed: FrameError { FrameError(description: "a release of handles of an unknown form") }

  /// Returns a value from the host, with addresses in place of handles. Call it on the thread that reads, in the order
  /// of the frames: the next frame may release the handles.
  ///
  /// - Throws: `ArgumentMismatch` for a handle of another process or of another type.
  func imported(_ value: PluginValue) throws(ArgumentMismatch) -> PluginValue {
    try value.replacingPointers { (handle) throws(ArgumentMismatch) in
      guard handle.address & ~0xFFFF_FFFF == worker else {
        throw ArgumentMismatch(
          message: "is a handle or an address of another process, expected one of this generation of the worker; "
            + "plugins share handles only in-process (--isolation in-process)")
      }
      let pointer = state.withLock { $0.entries[UInt32(truncatingIfNeeded: handle.address)]?.pointer }
      guard let pointer, pointer.name == handle.name else {
        throw ArgumentMismatch(message: "is not a handle of a \(handle.name)")
      }
      return pointer
    }
  }
}

extension PluginPointer {
  /// Whether an address that is sent later may be that of the same object. A function may have released the object, and
  /// made another one in its place.
  fileprivate func mayBe(_ later: PluginPointer) -> Bool {
    guard let object else { return true }
    return later.object.map { $0 === object } ?? object.life.isLive
  }
}

extension PluginValue {
  /// Whether the value contains an address or an open file, which no bytes can stand for.
  package var holdsHandles: Bool {
    switch self {
    case .pointer, .file: true
    case .array(let elements): elements.contains(where: \.holdsHandles)
    case .object(let members): members.contains { $0.value.holdsHandles }
    default: false
    }
  }

  /// Returns the value with each address replaced.
  func replacingPointers(
    _ replace: (PluginPointer) throws(ArgumentMismatch) -> PluginPointer
  ) throws(ArgumentMismatch) -> PluginValue {
    switch self {
    case .pointer(let pointer): return .pointer(try replace(pointer))
    case .array(let elements):
      var replaced: [PluginValue] = []
      replaced.reserveCapacity(elements.count)
      for (index, element) in elements.enumerated() {
        replaced.append(
          try converting("[\(index)]") { () throws(ArgumentMismatch) in try element.replacingPointers(replace) })
      }
      return .array(replaced)
    case .object(let members):
      var replaced: [PluginMember] = []
      for member in members {
        let value = try converting(".\(member.name)") { () throws(ArgumentMismatch) in
          try member.value.replacingPointers(replace)
        }
        replaced.append(PluginMember(member.name, value))
      }
      return .object(replaced)
    default: return self
    }
  }
}
