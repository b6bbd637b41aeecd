import Synchronization

/// The handles of one worker process that values of this program refer to.
///
///     in a frame --lease()--> held by the copies of one value --the last copy ends--> counted --releases()--> sent
///
/// The worker counts each handle that it sends, and a lease is one of that count. Leases may end anywhere, also with a
/// lock held: they are only counted there. The thread that serves the worker sends the counts, those of many leases in
/// one frame.
final class HandleLeases: Sendable {
  private struct State {
    /// Wakes the thread that serves the worker; `nil` once the worker has ended.
    var wake: (@Sendable () -> Void)?
    /// The number of leases that have ended, by the numbers of their handles.
    var ended: [UInt32: UInt64] = [:]
  }

  private let upperHalf: UInt
  private let state: Mutex<State>

  /// The maximum number of handles in a frame.
  private static let mostInFrame = 4096

  /// - Parameter wake: called when a lease has ended after `releases()`. It must not wait, or take a lock.
  init(worker: UInt32, wake: @escaping @Sendable () -> Void) {
    upperHalf = HandleTable.upperHalf(worker)
    state = Mutex(State(wake: wake))
  }

  /// Returns a handle that has arrived, with a lease; `nil` if it is one of another worker.
  func lease(_ name: String, _ address: UInt) -> PluginPointer? {
    guard address & ~0xFFFF_FFFF == upperHalf else { return nil }
    return PluginPointer(
      name: name, address: address, reference: HandleLease(of: UInt32(truncatingIfNeeded: address), in: self))
  }

  /// Returns the frames that release the handles whose leases have ended since the last call.
  func releases() -> [Frame] {
    let ended = state.withLock { state in
      defer { state.ended = [:] }
      return state.ended
    }
    var frames: [Frame] = []
    var parts: [PluginValue] = []
    for (number, count) in ended {
      parts += [.uint(UInt64(number)), .uint(count)]
      guard parts.count == 2 * Self.mostInFrame else { continue }
      frames.append(Frame(.release, 0, .array(parts)))
      parts = []
    }
    if !parts.isEmpty { frames.append(Frame(.release, 0, .array(parts))) }
    return frames
  }

  /// Notes that the worker has ended: the ends of its leases are ignored from then on.
  func end() {
    // Released outside the lock: the closure may hold the last reference to the link.
    let wake = state.withLock { state in
      defer { state = State() }
      return state.wake
    }
    withExtendedLifetime(wake) {}
  }

  fileprivate func noteEnd(of number: UInt32) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.wake != nil else { return nil }
      let isFirst = state.ended.isEmpty
      state.ended[number, default: 0] += 1
      return isFirst ? state.wake : nil
    }
    wake?()
  }
}

/// One reference of this program to a handle of a worker. It ends with the last copy of the value that has it.
private final class HandleLease: Sendable {
  private let number: UInt32
  private let leases: HandleLeases

  init(of number: UInt32, in leases: HandleLeases) { (self.number, self.leases) = (number, leases) }
  deinit { leases.noteEnd(of: number) }
}
