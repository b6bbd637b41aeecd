import CPlatform

/// A priority queue of timers by deadline; timers of equal deadlines keep the order in which they were added. Not
/// thread-safe: guarded by its owner.
///
/// A binary heap in one allocation. Each timer's cell stores its position, so that it can be removed from anywhere.
@unsafe
struct TimerHeap {
  private struct Entry {
    var deadline: Int64
    var order: UInt32
    var timer: UInt32

    @inline(__always)
    func isBefore(_ other: Entry) -> Bool {
      deadline != other.deadline ? deadline < other.deadline : Int32(bitPattern: order &- other.order) < 0
    }
  }

  private var entries: UnsafeMutablePointer<Entry>?
  private var capacity = 0
  private(set) var count = 0
  /// The order of the next timer. Wraps after the first one, so that wrapping is tested.
  private var added = UInt32.max

  /// The earliest deadline; `.max` if the heap is empty.
  var first: Int64 { unsafe count == 0 ? .max : entries.unsafelyUnwrapped[0].deadline }

  /// Adds a task; takes ownership of its reference. False when memory has run out.
  mutating func add(_ timer: Job, _ deadline: Int64) -> Bool {
    if unsafe count == capacity, unsafe !grow() { return false }
    let entry = unsafe Entry(deadline: deadline, order: added, timer: timer.ref.index)
    unsafe added &+= 1
    unsafe count += 1
    unsafe rise(entry, from: count - 1)
    return true
  }

  /// Removes a timer. False if it is not in this heap.
  mutating func remove(_ timer: Job) -> Bool {
    // A timer that moves between heaps may be requested here while it is in neither, or in the other one.
    let place = CellTask(timer.ref).place
    guard unsafe 0..<count ~= place, unsafe entries.unsafelyUnwrapped[place].timer == timer.ref.index else {
      return false
    }
    unsafe take(place)
    return true
  }

  /// Pops the first timer, if its deadline has passed.
  mutating func popDue(_ now: Int64) -> Job? {
    unsafe first <= now ? unsafe pop() : nil
  }

  /// Pops the first timer.
  mutating func pop() -> Job? {
    guard unsafe count > 0 else { return nil }
    let timer = unsafe Job(CellRef(index: entries.unsafelyUnwrapped[0].timer))
    unsafe take(0)
    return timer
  }

  /// Whether a timer in the heap satisfies `holds`.
  func contains(where holds: (Job) -> Bool) -> Bool {
    for place in unsafe 0..<count {
      if unsafe holds(Job(CellRef(index: entries.unsafelyUnwrapped[place].timer))) { return true }
    }
    return false
  }

  /// Forgets all timers without releasing them: in a child of fork() they belong to the parent.
  mutating func forget() {
    for place in unsafe 0..<count { unsafe CellTask(CellRef(index: entries.unsafelyUnwrapped[place].timer)).place = -1 }
    unsafe count = 0
  }

  /// Calls `body` with each timer and its deadline.
  func forEach(_ body: (Job, Int64) -> Void) {
    for place in unsafe 0..<count {
      let entry = unsafe entries.unsafelyUnwrapped[place]
      body(Job(CellRef(index: entry.timer)), entry.deadline)
    }
  }

  /// Frees the memory of an empty heap, which must not be used afterwards.
  func free() { unsafe platform_free(entries) }

  private mutating func grow() -> Bool {
    let more = unsafe max(64, capacity * 2)
    guard let memory = unsafe realloc(entries, more * MemoryLayout<Entry>.stride) else { return false }
    unsafe entries = unsafe memory.bindMemory(to: Entry.self, capacity: more)
    unsafe capacity = more
    return true
  }

  private mutating func take(_ place: Int) {
    let entries = unsafe self.entries.unsafelyUnwrapped
    unsafe CellTask(CellRef(index: entries[place].timer)).place = -1
    unsafe count -= 1
    guard unsafe place != count else { return }
    // The last entry fills the gap: it rises if it is before the gap's parent, otherwise it sinks.
    let last = unsafe entries[count]
    if unsafe place > 0 && last.isBefore(entries[(place - 1) / 2]) {
      unsafe rise(last, from: place)
    } else {
      unsafe sink(last, from: place)
    }
  }

  private mutating func rise(_ entry: Entry, from start: Int) {
    let entries = unsafe self.entries.unsafelyUnwrapped
    var place = start
    while place > 0, unsafe entry.isBefore(entries[(place - 1) / 2]) {
      unsafe put(entries[(place - 1) / 2], at: place)
      place = (place - 1) / 2
    }
    unsafe put(entry, at: place)
  }

  private mutating func sink(_ entry: Entry, from start: Int) {
    let entries = unsafe self.entries.unsafelyUnwrapped
    var place = start
    while true {
      var child = 2 * place + 1
      guard unsafe child < count else { break }
      if unsafe child + 1 < count && entries[child + 1].isBefore(entries[child]) { child += 1 }
      guard unsafe entries[child].isBefore(entry) else { break }
      unsafe put(entries[child], at: place)
      place = child
    }
    unsafe put(entry, at: place)
  }

  private func put(_ entry: Entry, at place: Int) {
    unsafe entries.unsafelyUnwrapped[place] = entry
    CellTask(CellRef(index: entry.timer)).place = place
  }
}
