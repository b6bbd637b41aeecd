import CPlatform

/// The revocable events of a queue, by tag: a hash table whose chains run through the events' cells. So adding and
/// removing takes constant time, however many events have the same tag. Not thread-safe: the queue's lock guards it.
@unsafe
struct CompletionTable {
  private var buckets: UnsafeMutablePointer<UInt32>
  private var capacity: Int
  private var count = 0
  /// All buckets below this one are known to be empty (`any`).
  private var searched = 0

  /// Nil when memory has run out.
  init?() {
    unsafe capacity = 64
    guard let buckets = unsafe CompletionTable.allocate(64) else { return nil }
    unsafe self.buckets = unsafe buckets
  }

  func free() { unsafe platform_free(buckets) }

  private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt32>? {
    unsafe calloc(capacity, MemoryLayout<UInt32>.stride)?.bindMemory(to: UInt32.self, capacity: capacity)
  }

  private func bucket(_ tag: UInt64) -> UnsafeMutablePointer<UInt32> {
    // Fibonacci hashing: tags are counters or addresses, whose low bits alone would collide.
    let hash = unsafe Int(truncatingIfNeeded: (tag &* 0x9e37_79b9_7f4a_7c15) >> 32) & (capacity - 1)
    return unsafe buckets + hash
  }

  mutating func insert(_ event: Completion) {
    if unsafe count >= capacity { unsafe grow() }
    unsafe link(event)
    event.isListed = true
    unsafe count += 1
    unsafe searched = 0
  }

  private func link(_ event: Completion) {
    let bucket = unsafe bucket(event.tag)
    event.preceding = 0
    event.following = unsafe bucket.pointee
    if unsafe bucket.pointee != 0 { unsafe Completion(CellRef(index: bucket.pointee)).preceding = event.ref.index }
    unsafe bucket.pointee = event.ref.index
  }

  mutating func remove(_ event: Completion) {
    let (preceding, following) = (event.preceding, event.following)
    if preceding == 0 {
      unsafe bucket(event.tag).pointee = following
    } else {
      Completion(CellRef(index: preceding)).following = following
    }
    if following != 0 { Completion(CellRef(index: following)).preceding = preceding }
    event.isListed = false
    unsafe count -= 1
  }

  /// Returns the newest event with the tag that satisfies the predicate.
  func find(_ tag: UInt64, where predicate: (Completion) -> Bool) -> Completion? {
    var index = unsafe bucket(tag).pointee
    while index != 0 {
      let event = Completion(CellRef(index: index))
      if event.tag == tag && predicate(event) { return event }
      index = event.following
    }
    return nil
  }

  /// Returns any event; nil if there is none.
  mutating func any() -> Completion? {
    while unsafe searched < capacity {
      let index = unsafe buckets[searched]
      if index != 0 { return Completion(CellRef(index: index)) }
      unsafe searched += 1
    }
    return nil
  }

  /// Doubles the table. When memory has run out the chains get longer instead.
  private mutating func grow() {
    guard let larger = unsafe CompletionTable.allocate(capacity * 2) else { return }
    let (old, length) = unsafe (buckets, capacity)
    unsafe buckets = unsafe larger
    unsafe capacity *= 2
    for place in 0..<length {
      var index = unsafe old[place]
      while index != 0 {
        let event = Completion(CellRef(index: index))
        index = event.following
        unsafe link(event)
      }
    }
    unsafe platform_free(old)
  }
}
