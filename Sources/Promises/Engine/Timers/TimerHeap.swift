import CPlatform

/// Timers by their time; those of one time in the order in which they were added. Whoever keeps a heap guards it.
///
/// A binary heap in one piece of memory. Each timer's cell knows its place, so that it can be taken out from anywhere.
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
  private var added: UInt32 = 0

  /// When the first timer is due; `.max` if there is none.
  var first: Int64 { unsafe count == 0 ? .max : entries.unsafelyUnwrapped[0].deadline }

  /// Adds a task, whose reference the heap gets. False when memory has run out.
  mutating func add(_ timer: Job, _ deadline: Int64) -> Bool {
    if unsafe count == capacity, unsafe !grow() { return false }
    let entry = unsafe Entry(deadline: deadline, order: added, timer: timer.ref.index)
    unsafe added &+= 1
    unsafe count += 1
    unsafe rise(entry, from: count - 1)
    return true
  }

  /// Takes a timer out. False if it is not in here.
  mutating func remove(_ timer: Job) -> Bool {
    // A timer that goes from one heap to another may be asked for here while it is in neither, or in the other.
    let place = timer.place
    guard unsafe 0..<count ~= place, unsafe entries.unsafelyUnwrapped[place].timer == timer.ref.index else {
      return false
    }
    unsafe take(place)
    return true
  }

  /// Takes out the first timer, if its time has come.
  mutating func popDue(_ now: Int64) -> Job? {
    unsafe first <= now ? unsafe pop() : nil
  }

  /// Takes out the first timer.
  mutating func pop() -> Job? {
    guard unsafe count > 0 else { return nil }
    let timer = unsafe Job(CellRef(index: entries.unsafelyUnwrapped[0].timer))
    unsafe take(0)
    return timer
  }

  /// Whether a timer for which `holds` is true is in here.
  func contains(where holds: (Job) -> Bool) -> Bool {
    for place in unsafe 0..<count {
      if unsafe holds(Job(CellRef(index: entries.unsafelyUnwrapped[place].timer))) { return true }
    }
    return false
  }

  /// Leaves all timers to themselves.
  mutating func forget() {
    for place in unsafe 0..<count { unsafe Job(CellRef(index: entries.unsafelyUnwrapped[place].timer)).place = -1 }
    unsafe count = 0
  }

  /// Calls `body` with each timer and its time.
  func forEach(_ body: (Job, Int64) -> Void) {
    for place in unsafe 0..<count {
      let entry = unsafe entries.unsafelyUnwrapped[place]
      body(Job(CellRef(index: entry.timer)), entry.deadline)
    }
  }

  /// Gives its memory back. Nothing may be in it.
  mutating func free() {
    unsafe platform_free(entries)
    unsafe entries = nil
    unsafe capacity = 0
  }

  private mutating func grow() -> Bool {
    let more = unsafe max(64, capacity * 2)
    guard let memory = unsafe realloc(entries, more * MemoryLayout<Entry>.stride) else { return false }
    unsafe entries = unsafe memory.bindMemory(to: Entry.self, capacity: more)
    unsafe capacity = more
    return true
  }

  private mutating func take(_ place: Int) {
    let entries = unsafe self.entries.unsafelyUnwrapped
    unsafe Job(CellRef(index: entries[place].timer)).place = -1
    unsafe count -= 1
    guard unsafe place != count else { return }
    // The last one fills the gap: up if it comes before what is above the gap, else down.
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
    Job(CellRef(index: entry.timer)).place = place
  }
}
