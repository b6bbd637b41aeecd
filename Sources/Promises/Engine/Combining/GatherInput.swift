import Synchronization

// The reaction of a gather to one input.
extension CellRef {
  /// Runs this reaction of the kind `input`.
  func gatherInput(_ value: CellValue, _ outcome: Outcome) -> ReactionResult {
    // Stops later cancel requests from propagating through this reaction. No other call claims it.
    _ = claim()
    let index = unsafe Int(cell.pointee.value.bits & 0xffff_ffff)
    let gather = unsafe Gather.at(cell.pointee.context)
    defer { gather.ref.release() }
    return gather.end(of: index, self, value, outcome)
  }

  /// Handles an input that was destroyed while pending.
  func loseGatherInput() {
    let gather = unsafe Gather.at(cell.pointee.context)
    unsafe gather.ref.cell.pointee.state.bitwiseOr(Gather.lost, ordering: .relaxed)
    if gather.isLast() && gather.decide() { gather.abandonResult() }
    gather.ref.release()
  }
}

extension Gather {
  /// Handles the outcome of the input at `index`; runs within its reaction.
  fileprivate func end(of index: Int, _ reaction: CellRef, _ value: CellValue, _ outcome: Outcome) -> ReactionResult {
    if decides(value, outcome) {
      let isFirst = decide()
      _ = isLast()
      guard isFirst else { return .idle }
      let result = reaction.passOn(to: result, value, outcome)
      if unsafe ref.cell.pointee.state.load(ordering: .relaxed) & Gather.cancelsOthers != 0 {
        cancelOthers(than: index)
      }
      return result
    }
    // Stored only if it may be combined: the entries are kept as long as an input is pending, which may be forever.
    if unsafe ref.cell.pointee.state.load(ordering: .relaxed) & Gather.decided == 0 {
      let isKept = value.retain()
      unsafe entries[index].value = isKept ? value : Fault.tooManyReferences.value
      unsafe entries[index].isRejected = isKept ? outcome.isRejected : true
    }
    guard isLast() && decide() else { return .idle }
    guard unsafe ref.cell.pointee.state.load(ordering: .relaxed) & Gather.lost == 0 else {
      // The outcome of the lost input is unknown.
      abandonResult()
      return .idle
    }
    var combined = CellValue.void
    let combinedOutcome = unsafe combine.pointee.body(
      UnsafeBufferPointer(start: entries, count: count), index, &combined)
    defer { combined.release() }
    return reaction.passOn(to: result, combined, combinedOutcome)
  }

  /// Releases the result, which will never be settled by this gather.
  fileprivate func abandonResult() {
    if result.hold() {
      if result.reactionKind == .none { unsafe result.cell.pointee.meta = ReactionKind.orphan }
      result.letGo()
    }
    result.release()
  }

  /// Detaches from the pending inputs: the result is settled or unwanted.
  func leave() {
    let isUndecided = decide()
    if unsafe ref.cell.pointee.state.load(ordering: .acquiring) >= Gather.unsettled {
      for index in 0..<count { unsafe entries[index].reaction.leaveInput() }
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

  /// Claims the decision. The winner gets the reference to the result.
  fileprivate func decide() -> Bool {
    unsafe ref.cell.pointee.state.bitwiseOr(Gather.decided, ordering: .acquiringAndReleasing).oldValue
      & Gather.decided == 0
  }

  /// Counts one more settled input; true for the last.
  fileprivate func isLast() -> Bool {
    unsafe ref.cell.pointee.state.wrappingSubtract(Gather.unsettled, ordering: .acquiringAndReleasing).newValue
      < Gather.unsettled
  }

  /// Propagates a cancel request for the result: its interest in every input ends.
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
