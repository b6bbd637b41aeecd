import CPlatform

/// Facts about each promise, callback and thread of a recording, by id.
@unsafe
struct TraceTable: ~Copyable {
  struct Entry {
    var key: UInt64 = 0
    /// The source it waits for; 0: unknown.
    var parent: UInt64 = 0
    /// The index of its settlement among the events, plus one; 0: none.
    var settlement: UInt32 = 0
    /// A promise's: 1 if its creation is among the events. A thread's: the number of callbacks it is running.
    var depth: Int32 = 0
    var made: Int64 = 0
    var isPromise = false
  }

  private let entries: UnsafeMutablePointer<Entry>
  let capacity: Int

  /// Makes a table for at least `count` ids; nil when memory has run out.
  init?(_ count: Int) {
    var capacity = 64
    while capacity < count * 2 { capacity *= 2 }
    guard let memory = unsafe malloc(capacity * MemoryLayout<Entry>.stride) else { return nil }
    unsafe self.capacity = capacity
    unsafe entries = unsafe memory.bindMemory(to: Entry.self, capacity: capacity)
    for place in 0..<capacity { unsafe (entries + place).initialize(to: Entry()) }
  }

  deinit { unsafe platform_free(entries) }

  /// Finds or adds the entry of an id other than 0.
  subscript(_ key: UInt64) -> UnsafeMutablePointer<Entry> {
    var place = unsafe Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) >> 20) & (capacity - 1)
    while unsafe entries[place].key != key {
      if unsafe entries[place].key == 0 {
        unsafe entries[place].key = key
        break
      }
      place = unsafe (place + 1) & (capacity - 1)
    }
    return unsafe entries + place
  }

  /// The entry at a position; nil if the position is empty.
  func entry(at place: Int) -> Entry? { unsafe entries[place].key == 0 ? nil : entries[place] }

  /// The key of a thread, distinct from the ids of promises.
  static func thread(_ id: Int32) -> UInt64 { UInt64(UInt32(bitPattern: id)) }
}
