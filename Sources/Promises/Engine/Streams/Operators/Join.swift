import CPlatform

/// What several sources of a publisher have in common. It belongs to the publisher's lock.
@safe
struct Join {
  /// Whether every source has to have a value, and all are published together.
  let isCombining: Bool
  /// The latest value of each source, if it is; of no kind before there is one.
  let slots: UnsafeMutablePointer<CellValue>?
  let count: Int
  /// How many have no value yet.
  var missing: Int
  /// How many have not ended.
  var open: Int
  /// Whether one has finished, rather than being cancelled.
  var hasFinished = false

  /// Nil when memory has run out.
  init?(count: Int, isCombining: Bool) {
    var slots: UnsafeMutablePointer<CellValue>?
    if isCombining {
      let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<CellValue>.stride)
      guard !overflow, let memory = unsafe malloc(bytes) else { return nil }
      unsafe slots = unsafe memory.bindMemory(to: CellValue.self, capacity: count)
      unsafe slots?.initialize(repeating: CellValue(kind: ValueKind(rawValue: 0)), count: count)
    }
    unsafe self.slots = unsafe slots
    self.isCombining = isCombining
    self.count = count
    missing = count
    open = count
  }

  func hasValue(at index: Int) -> Bool { unsafe slots.unsafelyUnwrapped[index].kind != 0 }

  func free() {
    guard let slots = unsafe slots else { return }
    for index in 0..<count where hasValue(at: index) { unsafe slots[index].release() }
    unsafe platform_free(slots)
  }
}

extension CellPublisher {
  /// A source has a new value, which is taken over: all the latest are published, if every source has one.
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

  /// A source has ended; the ending is lent. What is merged fails with the first that fails, and ends otherwise when all
  /// have. What is combined is cancelled with the first that is, too, and finishes when there can be no new combination.
  func sourceEnded(_ ending: StreamEnding, at index: Int) {
    let isOver = locked { state -> StreamEnding? in
      guard var join = state.join else { return ending }
      join.open -= 1
      if ending.isFinished { join.hasFinished = true }
      state.join = join
      switch ending {
      case .failed, .fault: return ending
      case .cancelled where join.isCombining: return ending
      case .finished where join.isCombining && !join.hasValue(at: index): return ending
      default: return join.open > 0 ? nil : join.hasFinished ? .finished : .cancelled
      }
    }
    if let isOver { _ = end(isOver.copy()) }
  }
}
