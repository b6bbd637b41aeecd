import Synchronization

/// The shared memory of large arguments in the calls of a pool: bytes that are sent to several workers at the same time
/// are written once.
///
/// Bytes are the same if they are the same array, not a copy. The block keeps the array, so no other array has its
/// address. The calls keep the block, so nothing stays when the last of them has been answered.
final class PoolMemory: Sendable {
  private struct Entry {
    weak var block: SharedBytes?
  }

  private let entries = Mutex<[UInt: Entry]>([:])

  /// The number of entries, those of freed blocks included.
  var count: Int { entries.withLock(\.count) }

  /// Returns the block that has the bytes, or a new one; `nil` for bytes that are to be part of the frame.
  func block(of bytes: [UInt8]) -> SharedBytes? {
    guard bytes.count >= SharedBytes.threshold else { return nil }
    let address = bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    // Written without the lock: several threads may write the same bytes, each once.
    let known = entries.withLock { $0[address]?.block }
    if let known { return known }
    guard let block = SharedBytes(sending: bytes, keeping: bytes) else { return nil }
    entries.withLock { entries in
      entries = entries.filter { $0.value.block != nil }
      entries[address] = Entry(block: block)
    }
    return block
  }
}
