/// A FIFO of ready events, linked through their cells. Not thread-safe: the queue's lock guards it.
struct ReadyEvents {
  private(set) var first: UInt32 = 0
  private var last: UInt32 = 0

  var isEmpty: Bool { first == 0 }

  mutating func append(_ event: Completion) {
    event.next = 0
    event.previous = last
    if last == 0 { first = event.ref.index } else { Completion(CellRef(index: last)).next = event.ref.index }
    last = event.ref.index
  }

  mutating func remove(_ event: Completion) {
    let (previous, next) = (event.previous, event.next)
    if previous == 0 { first = next } else { Completion(CellRef(index: previous)).next = next }
    if next == 0 { last = previous } else { Completion(CellRef(index: next)).previous = previous }
  }

  /// Takes up to `room` events, the oldest first: a chain that ends with a `next` of 0.
  mutating func take(_ room: Int) -> (first: UInt32, count: Int) {
    let taken = first
    var count = 0
    var newest: UInt32 = 0
    while first != 0 && count < room {
      let event = Completion(CellRef(index: first))
      newest = first
      first = event.next
      count += 1
    }
    if newest != 0 { Completion(CellRef(index: newest)).next = 0 }
    if first == 0 { last = 0 } else { Completion(CellRef(index: first)).previous = 0 }
    return (count == 0 ? 0 : taken, count)
  }
}
