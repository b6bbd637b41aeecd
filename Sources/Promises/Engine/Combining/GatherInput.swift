import Synchronization

// What an input does when it is settled.
extension CellRef {
  /// Runs this reaction of the kind `input`.
  func gatherInput(_ value: CellValue, _ outcome: Outcome) -> ReactionResult {
    // It settles nothing itself, and requests to cancel that come from now on go nowhere.
    guard claim() else { return .idle }
    let index = unsafe Int(cell.pointee.value.bits & 0xffff_ffff)
    let gather = unsafe Gather.at(cell.pointee.context)
    defer { gather.ref.release() }
    return gather.end(of: index, self, value, outcome)
  }

  /// The input of this reaction died pending.
  func loseGatherInput() {
    let gather = unsafe Gather.at(cell.pointee.context)
    unsafe gather.ref.cell.pointee.state.bitwiseOr(Gather.lost, ordering: .relaxed)
    if gather.isLast() && gather.decide() { gather.abandonResult() }
    gather.ref.release()
  }
}

extension Gather {
  /// The input at `index` has ended, and its reaction runs.
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
    // Kept for as long as there are inputs, which may be for ever: only if it is going to be combined.
    if unsafe ref.cell.pointee.state.load(ordering: .relaxed) & Gather.decided == 0 {
      let isKept = value.retain()
      unsafe entries[index].value = isKept ? value : Fault.tooManyReferences.value
      unsafe entries[index].isRejected = isKept ? outcome.isRejected : true
    }
    guard isLast() && decide() else { return .idle }
    guard unsafe ref.cell.pointee.state.load(ordering: .relaxed) & Gather.lost == 0 else {
      // Nobody knows how it would have ended.
      abandonResult()
      return .idle
    }
    var combined = CellValue.void
    let combinedOutcome = unsafe combine.pointee.body(
      UnsafeBufferPointer(start: entries, count: count), index, &combined)
    defer { combined.release() }
    return reaction.passOn(to: result, combined, combinedOutcome)
  }

  /// Nobody will settle the result.
  fileprivate func abandonResult() {
    if result.hold() {
      if result.reactionKind == .none { unsafe result.cell.pointee.meta = ReactionKind.orphan }
      result.letGo()
    }
    result.release()
  }

  /// The result is settled, or nobody wants it: inputs that are pending go on without this.
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

  /// True for the one who decides, who gets the reference to the result.
  fileprivate func decide() -> Bool {
    unsafe ref.cell.pointee.state.bitwiseOr(Gather.decided, ordering: .acquiringAndReleasing).oldValue
      & Gather.decided == 0
  }

  /// Notes that one more input has ended; true for the last.
  fileprivate func isLast() -> Bool {
    unsafe ref.cell.pointee.state.wrappingSubtract(Gather.unsettled, ordering: .acquiringAndReleasing).newValue
      < Gather.unsettled
  }

  /// The result was asked to cancel: it has lost interest in every input.
  func requestCancel(_ reason: CellValue, leaving work: inout CancelWork) {
    for index in 0..<count { unsafe entries[index].reaction.requestCancel(reason, leaving: &work) }
  }

  /// Asks the inputs but one to cancel, whoever else is interested in them.
  private func cancelOthers(than decider: Int) {
    for index in 0..<count where index != decider {
      guard let input = unsafe entries[index].reaction.retainedSource() else { continue }
      input.requestCancel()
      input.release()
    }
  }
}
