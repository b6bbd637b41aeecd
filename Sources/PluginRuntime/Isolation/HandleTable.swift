import Synchronization

/// The addresses that a worker has sent to its host. Outside of the worker an address is a handle: a number that is
/// bound to the worker process and is not an address of any process.
///
///     63  62  61...32        31...0
///     0   1   the worker     the number of the handle, from 1
final class HandleTable: Sendable {
  private struct State {
    var numbers: [PluginPointer: UInt32] = [:]
    var pointers: [PluginPointer] = []
  }

  private let worker: UInt
  private let state = Mutex(State())

  /// Creates a table. `worker`: different for each worker process of a host, in 30 bits.
  init(worker: UInt32) { self.worker = Self.upperHalf(worker) }

  /// Returns the bits that all handles of a worker share.
  static func upperHalf(_ worker: UInt32) -> UInt { 1 << 62 | UInt(worker & 0x3FFF_FFFF) << 32 }

  /// The maximum number of handles of a worker.
  private static let maximum = 1 << 24

  /// Returns a value for the host, with handles in place of addresses.
  ///
  /// - Throws: `ArgumentMismatch` if there are too many.
  func exported(_ value: PluginValue) throws(ArgumentMismatch) -> PluginValue {
    try value.replacingPointers { (pointer) throws(ArgumentMismatch) in
      // Released outside the lock: without a thread for it, the destructor of an object runs in the release.
      var former: PluginPointer?
      let number = state.withLock { state -> UInt32? in
        if let number = state.numbers[pointer] {
          // The address may now be that of another object.
          former = state.pointers[Int(number) - 1]
          state.pointers[Int(number) - 1] = pointer
          return number
        }
        guard state.pointers.count < Self.maximum else { return nil }
        state.pointers.append(pointer)
        state.numbers[pointer] = UInt32(state.pointers.count)
        return UInt32(state.pointers.count)
      }
      withExtendedLifetime(former) {}
      guard let number else {
        throw ArgumentMismatch(message: "is one address too many: a worker process keeps at most \(Self.maximum)")
      }
      return PluginPointer(name: pointer.name, address: worker | UInt(number))
    }
  }

  /// Returns a value from the host, with addresses in place of handles.
  ///
  /// - Throws: `ArgumentMismatch` for a handle of another process or of another type.
  func imported(_ value: PluginValue) throws(ArgumentMismatch) -> PluginValue {
    try value.replacingPointers { (handle) throws(ArgumentMismatch) in
      guard handle.address & ~0xFFFF_FFFF == worker else {
        throw ArgumentMismatch(
          message: "is a handle or an address of another process, expected one of this generation of the worker; "
            + "plugins share handles only in-process (--isolation in-process)")
      }
      let index = Int(handle.address & 0xFFFF_FFFF) - 1
      let pointer = state.withLock { $0.pointers.indices.contains(index) ? $0.pointers[index] : nil }
      guard let pointer, pointer.name == handle.name else {
        throw ArgumentMismatch(message: "is not a handle of a \(handle.name)")
      }
      return pointer
    }
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
