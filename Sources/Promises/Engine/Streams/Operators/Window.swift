import CPlatform

/// The last so many values, in a ring.
@safe
package struct Window {
  private let ring: UnsafeMutablePointer<CellValue>
  private let size: Int
  private var count = 0
  /// Where the next one goes: when the ring is full, in the place of the oldest.
  private var place = 0

  /// Nil when there is no memory for so many.
  package init?(size: Int) {
    let (bytes, overflow) = size.multipliedReportingOverflow(by: MemoryLayout<CellValue>.stride)
    guard !overflow, let memory = unsafe malloc(bytes) else { return nil }
    unsafe ring = unsafe memory.bindMemory(to: CellValue.self, capacity: size)
    self.size = size
  }

  func release() {
    for index in 0..<count { unsafe ring[index].release() }
    unsafe platform_free(ring)
  }

  /// Takes over an event, and returns what is published: an error as it is, from the last of the first values on an
  /// ARRAY, before that nothing.
  mutating func note(_ event: StreamEvent) -> StreamEvent? {
    guard !event.outcome.isRejected else { return event }
    if count == size { unsafe ring[place].release() } else { count += 1 }
    unsafe ring[place] = event.value
    place = place + 1 == size ? 0 : place + 1
    guard count == size else { return nil }
    let array = Box.array(count: count) { unsafe ring[place + $0 < size ? place + $0 : place + $0 - size] }
    guard let array else { return StreamEvent(Fault.outOfMemory.value, .rejected) }
    return StreamEvent(array, .fulfilled)
  }
}

extension Box {
  /// An ARRAY of values that stay their owner's; nil when memory has run out, or one has too many references.
  static func array(count: Int, _ element: (Int) -> CellValue) -> CellValue? {
    guard let builder = ValueBuilder(.array, capacity: count) else { return nil }
    for index in 0..<count {
      let element = element(index)
      guard element.retain(), builder.add(element) == nil else {
        builder.ref.release()
        return nil
      }
    }
    return builder.finish()
  }
}
