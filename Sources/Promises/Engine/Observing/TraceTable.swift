import CPlatform

/// What the events of a recording say of each promise, callback and thread, by number.
@unsafe
struct TraceTable: ~Copyable {
  struct Entry {
    var key: UInt64 = 0
    /// What it waits for; 0: nothing that is known.
    var parent: UInt64 = 0
    /// The place of its settlement among the events, plus one; 0: none.
    var settlement: UInt32 = 0
    /// Of a promise: whether its making is among the events. Of a thread: how many callbacks it is in.
    var depth: Int32 = 0
    var made: Int64 = 0
    var isPromise = false
  }

  private let entries: UnsafeMutablePointer<Entry>
  let capacity: Int

  /// Room for at least so many numbers; nil when memory has run out.
  init?(_ count: Int) {
    var capacity = 64
    while capacity < count * 2 { capacity *= 2 }
    guard let memory = unsafe malloc(capacity * MemoryLayout<Entry>.stride) else { return nil }
    unsafe self.capacity = capacity
    unsafe entries = unsafe memory.bindMemory(to: Entry.self, capacity: capacity)
    for place in 0..<capacity { unsafe (entries + place).initialize(to: Entry()) }
  }

  deinit { unsafe platform_free(entries) }

  /// The entry of a number that is not 0, made if it is not there.
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

  /// What stands at a place; nil if nothing does.
  func entry(at place: Int) -> Entry? { unsafe entries[place].key == 0 ? nil : entries[place] }

  /// The number of a thread: no promise has it.
  static func thread(_ id: Int32) -> UInt64 { UInt64(UInt32(bitPattern: id)) }
}
