import CPlatform

/// The result of several sources.
package enum JoinKind {
  /// All events.
  case merge
  /// The latest values, up to the first source that is cancelled, or to the last one that finishes.
  case combine
  /// The latest values, up to the first end of any kind.
  case combineToFirstEnd
  /// The latest values, up to the last end, for as long as a combination is possible.
  case combineToLastEnd
  /// The first values, then the second ones, and so on.
  case zip
}

/// The shared state of a publisher's sources, for merging or combining. Guarded by the publisher's lock.
@safe
struct Join {
  let kind: JoinKind
  /// The latest value of each source, if combining; of kind 0 before the first.
  let slots: UnsafeMutablePointer<CellValue>?
  let count: Int
  /// The number of sources without a value yet.
  var missing: Int
  /// The number of sources that have not ended.
  var open: Int
  /// Whether a source has finished, rather than being cancelled.
  var hasFinished = false

  /// Nil when memory has run out.
  init?(count: Int, _ kind: JoinKind) {
    var slots: UnsafeMutablePointer<CellValue>?
    if kind != .merge {
      let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<CellValue>.stride)
      guard !overflow, let memory = unsafe malloc(bytes) else { return nil }
      unsafe slots = unsafe memory.bindMemory(to: CellValue.self, capacity: count)
      unsafe slots?.initialize(repeating: CellValue(kind: ValueKind(rawValue: 0)), count: count)
    }
    unsafe self.slots = unsafe slots
    self.kind = kind
    self.count = count
    missing = count
    open = count
  }

  /// Whether the stream may go on after the end of a source that did not fail.
  func outlasts(_ ending: StreamEnding, at index: Int) -> Bool {
    switch kind {
    case .merge, .zip: true
    case .combine: ending.isFinished && hasValue(at: index)
    case .combineToFirstEnd: false
    case .combineToLastEnd: hasValue(at: index)
    }
  }

  func hasValue(at index: Int) -> Bool { unsafe slots.unsafelyUnwrapped[index].kind != 0 }

  func free() {
    guard let slots = unsafe slots else { return }
    for index in 0..<count where hasValue(at: index) { unsafe slots[index].release() }
    unsafe platform_free(slots)
  }
}

extension CellPublisher {
  /// Stores the new value of a source, and publishes the latest values if every source has one. Takes ownership of the
  /// value.
  func combine(_ value: CellValue, at index: Int) {
    var replaced = CellValue.void
    let result = publishing { state in
      guard let slots = unsafe state.join?.slots else { return nil }
      if unsafe slots[index].kind == 0 { state.join?.missing -= 1 } else { replaced = unsafe slots[index] }
      unsafe slots[index] = value
      guard let join = state.join, join.missing == 0 else { return nil }
      guard let array = Box.array(count: join.count, { unsafe slots[$0] }) else {
        return StreamEvent(Fault.outOfMemory.value, .rejected)
      }
      return StreamEvent(array, .fulfilled)
    }
    (result == .ended ? value : replaced).release()
  }

  /// Handles the end of a source; the ending is borrowed. A merged stream fails with the first source that fails, and
  /// otherwise ends when all sources have, or with a source that it does not outlast.
  func sourceEnded(_ ending: StreamEnding, at index: Int) {
    let isOver = locked { state -> StreamEnding? in
      guard var join = state.join else { return ending }
      join.open -= 1
      if ending.isFinished { join.hasFinished = true }
      state.join = join
      switch ending {
      case .failed, .fault: return ending
      case .finished, .cancelled:
        guard join.outlasts(ending, at: index) else { return ending }
        return join.open > 0 ? nil : join.hasFinished ? .finished : .cancelled
      }
    }
    if let isOver { _ = end(isOver.copy()) }
  }
}
