import CPlatform
import Synchronization

/// Creation times of the promises made while a trace was on. A cell has no space for the time, so it is stored beside
/// the slab, in chunks that are allocated on demand and never freed.
enum CreationTimes {
  @unsafe
  private struct Entry: ~Copyable {
    /// The promise's id.
    let id: Atomic<UInt64>
    let time: Atomic<Int64>
  }

  private static var chunk: Int { Int(Slab.piece) }
  private static var chunks: Int { Int(Slab.capacity / Slab.piece) }

  /// Allocates the directory of chunks. False when memory has run out.
  static func prepare() -> Bool {
    unsafe directory.get { unsafe calloc(chunks, MemoryLayout<UInt>.stride) } != nil
  }

  /// The chunk of a cell's entry, as an atomic address.
  private static func slot(_ index: UInt32) -> UnsafeMutablePointer<Atomic<UInt>>? {
    guard let directory = unsafe directory.made else { return nil }
    return unsafe directory.assumingMemoryBound(to: Atomic<UInt>.self) + Int(index) / chunk
  }

  private static func entry(_ index: UInt32, makes: Bool) -> UnsafeMutablePointer<Entry>? {
    guard let slot = unsafe slot(index) else { return nil }
    var address = unsafe slot.pointee.load(ordering: .acquiring)
    if address == 0 {
      guard makes, let memory = unsafe calloc(chunk, MemoryLayout<Entry>.stride) else { return nil }
      let made = UInt(bitPattern: memory)
      while address == 0 {
        let (exchanged, other) = unsafe slot.pointee.weakCompareExchange(
          expected: 0, desired: made, ordering: .acquiringAndReleasing)
        address = exchanged ? made : other
      }
      if address != made { unsafe platform_free(memory) }
    }
    let first = unsafe UnsafeMutableRawPointer(bitPattern: address).unsafelyUnwrapped
    return unsafe first.assumingMemoryBound(to: Entry.self) + Int(index) % chunk
  }

  /// Records that the promise is made now.
  static func note(_ promise: CellRef) {
    guard let entry = unsafe entry(promise.index, makes: true) else { return }
    // A thread that reads this time sees that the id is no longer that of an older promise.
    unsafe entry.pointee.id.store(0, ordering: .relaxed)
    unsafe entry.pointee.time.store(platform_now(), ordering: .releasing)
    unsafe entry.pointee.id.store(promise.id, ordering: .releasing)
  }

  /// The time at which the promise was made; nil if no trace was on, or if the promise was destroyed.
  static func time(_ index: UInt32, id: UInt64) -> Int64? {
    guard let entry = unsafe entry(index, makes: false),
      unsafe entry.pointee.id.load(ordering: .acquiring) == id
    else { return nil }
    let time = unsafe entry.pointee.time.load(ordering: .acquiring)
    return unsafe entry.pointee.id.load(ordering: .relaxed) == id ? time : nil
  }
}

private let directory = Single()
