// The reaction of a gather to one input.
extension CellRef {
  /// Runs this reaction of the kind `input`.
  func gatherInput(_ value: CellValue, _ outcome: Outcome) -> ReactionResult {
    // Stops later cancel requests from propagating through this reaction. No other call claims it.
    _ = claim()
    let gather = Gather(contextCell)
    defer { gather.ref.release() }
    return gather.end(of: inputIndex, self, value, outcome)
  }

  /// Handles an input that was destroyed while pending.
  func loseGatherInput() {
    let gather = Gather(contextCell)
    gather.lose()
    if gather.countDown() == .last && gather.decide() == .won { gather.orphanResult() }
    gather.ref.release()
  }
}

extension Gather {
  /// Handles the outcome of the input at `index`; runs within its reaction.
  fileprivate func end(of index: Int, _ reaction: CellRef, _ value: CellValue, _ outcome: Outcome) -> ReactionResult {
    if decides(value, outcome) {
      let decision = decide()
      _ = countDown()
      guard decision == .won else { return .idle }
      let result = reaction.forward(to: result, value, outcome)
      if cancelsOthers { cancelOthers(than: index) }
      return result
    }
    // Stored only if it may be combined: the entries are kept as long as an input is pending, which may be forever.
    if !isDecided {
      let isKept = value.retain()
      unsafe entries[index].value = isKept ? value : Fault.tooManyReferences.value
      unsafe entries[index].isRejected = isKept ? outcome.isRejected : true
    }
    guard countDown() == .last && decide() == .won else { return .idle }
    guard !isLost else {
      // The outcome of the lost input is unknown.
      orphanResult()
      return .idle
    }
    var combined = CellValue.void
    let combinedOutcome = unsafe combine.pointee.body(
      UnsafeBufferPointer(start: entries, count: count), index, &combined)
    defer { combined.release() }
    return reaction.forward(to: result, combined, combinedOutcome)
  }

  /// Releases the result, which will never be settled by this gather.
  fileprivate func orphanResult() {
    if result.hold() == .held {
      if result.reactionKind == .none { result.meta = ReactionKind.orphan }
      result.unhold()
    }
    result.release()
  }

  /// Detaches from the pending inputs: the result is settled or unwanted.
  func leave() {
    let isUndecided = decide() == .won
    if isWaiting {
      for index in 0..<count { unsafe entries[index].reaction.leaveInput(isTaken: !isUndecided) }
    }
    if isUndecided { result.release() }
  }

  private func decides(_ value: CellValue, _ outcome: Outcome) -> Bool {
    switch mode {
    case .all: outcome.isRejected
    case .allSettled: false
    case .any: !outcome.isRejected
    case .first: !outcome.isRejected || value.kind != ValueKind.discarded.rawValue
    case .race: true
    }
  }

  /// Propagates a cancel request for the result: its interest in every input ends. If the first input that accepts the
  /// request settles the result, the others are asked, too: the mark of the handler keeps them (CancelHandler.swift).
  func requestCancel(_ reason: CellValue, leaving work: inout CancelWork) {
    for index in 0..<count { unsafe entries[index].reaction.requestCancel(reason, leaving: &work) }
  }

  /// Requests cancellation of all inputs but one, regardless of other interest in them.
  private func cancelOthers(than decider: Int) {
    for index in 0..<count where index != decider {
      guard let input = unsafe entries[index].reaction.retainedSource() else { continue }
      input.requestCancel()
      input.release()
    }
  }
}
