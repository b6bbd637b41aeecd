import CPlatform

/// An operator that publishes the last `size` values as an ARRAY. Keeps them in a ring buffer.
@safe
package struct Window {
  private let ring: UnsafeMutablePointer<CellValue>
  private let size: Int
  private var count = 0
  /// The position of the next value; in a full ring that of the oldest.
  private var place = 0

  /// Nil when memory has run out.
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

  /// Takes ownership of an event, and returns the event to publish: an error unchanged, an ARRAY once the window is
  /// full, nil before that.
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
  /// Returns a new ARRAY of the elements, each of which it retains. Nil if memory has run out, or an element has
  /// too many references.
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
