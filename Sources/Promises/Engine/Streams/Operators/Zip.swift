import CPlatform

/// Queues of values, one for each source, that wait for values of the other sources. Guarded by the lock of the target.
@safe
struct Zip {
  private struct Source {
    var values = EventQueue()
    var ending: StreamEnding?
  }

  private let sources: UnsafeMutablePointer<Source>
  private let count: Int
  /// The number of sources without a value.
  private var missing: Int
  /// A source that has ended, and whose values are used up.
  private var exhausted: Int?

  /// Nil when memory has run out.
  init?(count: Int) {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Source>.stride)
    guard !overflow, let memory = unsafe malloc(bytes + 1) else { return nil }
    unsafe sources = unsafe memory.bindMemory(to: Source.self, capacity: count)
    unsafe sources.initialize(repeating: Source(), count: count)
    self.count = count
    missing = count
  }

  func free() {
    for index in 0..<count {
      unsafe sources[index].values.release()
      unsafe sources[index].ending?.release()
    }
    unsafe platform_free(sources)
  }

  /// Adds a value; false when memory has run out, then the caller keeps it.
  fileprivate mutating func add(_ value: CellValue, at index: Int) -> Bool {
    let isFirst = unsafe sources[index].values.isEmpty
    guard unsafe sources[index].values.push(StreamEvent(value, .fulfilled)) else { return false }
    if isFirst { missing -= 1 }
    return true
  }

  /// Takes ownership of the ending.
  fileprivate mutating func end(_ ending: StreamEnding, at index: Int) {
    unsafe sources[index].ending = ending
    noteIfExhausted(index)
  }

  private mutating func noteIfExhausted(_ index: Int) {
    guard exhausted == nil, unsafe sources[index].values.isEmpty, unsafe sources[index].ending != nil else { return }
    exhausted = index
  }

  /// Whether each source has a value.
  fileprivate var isComplete: Bool { missing == 0 }

  /// The ending of a source without further values.
  fileprivate var ending: StreamEnding? { exhausted.flatMap { unsafe sources[$0].ending } }

  /// Moves the first values to an ARRAY. Without memory for it they are added to `garbage`.
  fileprivate mutating func takeFirst(_ garbage: inout EventQueue) -> StreamEvent {
    let builder = ValueBuilder(.array, capacity: count)
    for index in 0..<count {
      guard let entry = unsafe sources[index].values.pop() else { continue }
      if unsafe sources[index].values.isEmpty { missing += 1 }
      noteIfExhausted(index)
      if let builder { _ = builder.add(entry.takeEvent().value) } else { garbage.push(entry) }
    }
    guard let array = builder?.finish() else { return StreamEvent(Fault.outOfMemory.value, .rejected) }
    return StreamEvent(array, .fulfilled)
  }
}

extension CellPublisher {
  /// Adds a value of a source, and publishes the first values of all sources once each has one. Takes ownership of the
  /// value.
  func zip(_ value: CellValue, at index: Int) {
    var garbage = EventQueue()
    var isAdded = false
    _ = publishing { state in
      guard state.zip != nil else { return nil }
      isAdded = state.zip?.add(value, at: index) ?? false
      guard isAdded else { return StreamEvent(Fault.outOfMemory.value, .rejected) }
      return state.zip?.isComplete == true ? state.zip?.takeFirst(&garbage) : nil
    }
    if !isAdded { StreamEvent(value, .fulfilled).release() }
    garbage.release()
    endZip()
  }

  /// Handles the end of a source; the ending is borrowed. It takes effect once all values before it are used.
  func zipSourceEnded(_ ending: StreamEnding, at index: Int) {
    locked { state in state.zip?.end(ending.copy(), at: index) }
    endZip()
  }

  private func endZip() {
    if let ending = locked({ $0.zip?.ending?.copy() }) { _ = end(ending) }
  }
}
