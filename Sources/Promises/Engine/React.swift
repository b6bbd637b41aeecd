import CPlatform
import Synchronization

/// The remaining work after a reaction has run.
enum ReactionResult {
  /// None: the reaction's reference can be released.
  case idle
  /// The reference was released, or moved to a job, or to the promise that the derived promise follows now.
  case moved
  /// A promise was settled; `newest` is the index of its newest reaction, or 0. The reaction's cell holds the value.
  case settled(newest: UInt32)
}

extension CellRef {
  /// Runs this promise's reaction to the outcome of its source. `shared` is false if only the caller can reach the
  /// promise.
  @inline(__always)
  func react(to value: UnsafePointer<CellValue>, _ outcome: Outcome, shared: Bool = true) -> ReactionResult {
    if reactionKind == .then && !outcome.isRejected {
      return unsafe handle(value, shared: shared)
    }
    #if !hasFeature(Embedded)
    // Callbacks and closures of the Swift API. The C ABI attaches neither, so libpromise leaves their code out.
    if reactionKind == .callback {
      var out = CellValue.void
      let verdict = unsafe callBack(value.pointee, outcome, &out)
      return unsafe follow(verdict, out, value.pointee, outcome, shared: shared)
    }
    if reactionKind == .closure {
      return unsafe call(closure, value.pointee, outcome, shared: shared)
    }
    #endif
    return unsafe reactOtherwise(to: value, outcome)
  }

  @inline(__always)
  private func handle(_ value: UnsafePointer<CellValue>, shared: Bool) -> ReactionResult {
    let context = reactionContext
    var out = CellValue.void
    let handler = unsafe unsafeBitCast(function, to: Handler.self)
    let verdict = unsafe _withUnprotectedUnsafeMutablePointer(to: &out) { out in
      unsafe Verdict(rawValue: handler(context.pointer, value, out))
    }
    context.release()
    if verdict == .fulfill && out.isScalar {
      return conclude(out, .fulfilled, shared: shared)
    }
    return decide(verdict, out)
  }

  /// Calls a closure and frees it.
  @inline(__always)
  func call(_ closure: UnsafeMutablePointer<StoredClosure>, _ value: CellValue, _ outcome: Outcome, shared: Bool)
    -> ReactionResult
  {
    var out = CellValue.void
    let verdict = unsafe closure.move().body(outcome.isRejected, value, &out)
    return follow(verdict, out, value, outcome, shared: shared)
  }

  /// Applies the verdict of a closure or callback of this library on `value`. Its result is trusted and not validated.
  @inline(__always)
  private func follow(
    _ verdict: Verdict, _ out: CellValue, _ value: CellValue, _ outcome: Outcome, shared: Bool
  ) -> ReactionResult {
    switch verdict {
    case .fulfill: return conclude(out, .fulfilled, shared: shared)
    case .reject: return conclude(out, .rejected, shared: shared)
    case .adopt: return adopt(out.owner)
    case .pass: return pass(value, outcome)
    default:
      if life & Life.holdersMask != 1 || state.head != 0 { clearSource() }
      return .idle
    }
  }

  /// Runs the less frequent kinds of reactions.
  @inline(never)
  private func reactOtherwise(to value: UnsafePointer<CellValue>, _ outcome: Outcome) -> ReactionResult {
    let context = reactionContext
    switch reactionKind {
    case .rescue
    where unsafe outcome.isRejected && TypeRegistry.matches(value.pointee, reactionType):
      return unsafe handle(value, shared: true)
    case .observe:
      let observer = unsafe outcome.isRejected ? rejectionObserver : unsafeBitCast(function, to: Observer?.self)
      if let observer = unsafe observer { unsafe observer(context.pointer, value) }
      context.release()
      return .idle
    case .link:
      return unsafe forward(to: contextCell, value.pointee, outcome)
    case .job:
      return unsafe startJob(value, outcome)
    case .finally:
      unsafe unsafeBitCast(function, to: FreeFunction.self)(context.pointer)
      context.release()
      return unsafe pass(value.pointee, outcome)
    case .input:
      return unsafe gatherInput(value.pointee, outcome)
    case .cancelHandler:
      unsafe endCancelHandler(value.pointee, outcome)
      return .idle
    case .completion:
      return unsafe complete(value.pointee, outcome)
    case .delay:
      return unsafe startDelay(value.pointee, outcome)
    case .detached:
      leaveList()
      return .idle
    case .follow:
      return unsafe pass(value.pointee, outcome)
    default:
      context.release()
      return unsafe pass(value.pointee, outcome)
    }
  }

  /// Settles this promise with the outcome of its source.
  func pass(_ value: CellValue, _ outcome: Outcome) -> ReactionResult {
    guard value.retain() else { return conclude(Fault.tooManyReferences.value, .rejected) }
    return conclude(value, outcome)
  }

  /// Settles another promise with the outcome of the source. This cell is settled too: the loop reads the value from
  /// it.
  func forward(to target: CellRef, _ value: CellValue, _ outcome: Outcome) -> ReactionResult {
    defer { target.release() }
    guard target.claim() == .won else {
      target.awaitPublication()
      return .idle
    }
    // Wait for a thread that is on its way upstream from the target, through this cell, to the source.
    _ = claim()
    let source = target.claimedSource()
    // One reference for the target, one for this cell.
    let value = value.retain() && value.retain() ? value : Fault.tooManyReferences.value
    let before = target.publishInOrder(value, outcome)
    noteTarget(target, before)
    if before.isWaited { target.wake() }
    if let source {
      source.detach(target, isTaken: true)
      source.releaseLeftSource()
    }
    if target.isDiscardable(before) { target.reactionContext.release() }
    // The cell's own list contains at most the reason of a cancel request.
    for entry in ReactionList(publish(value, outcome, isPromise: false).head) {
      entry.dropCancelHandler()
      entry.release()
    }
    return .settled(newest: before.head)
  }

  /// Settles this promise, whose reaction has run, unless it was settled from outside meanwhile.
  @inline(__always)
  func conclude(_ value: CellValue, _ outcome: Outcome, shared: Bool = true) -> ReactionResult {
    let before: CellState
    let life = acquiredLife
    if !shared || life & Life.holdersMask == 1 {
      guard let state = settleUnshared(value, outcome) else { return refuse(value) }
      before = state
    } else {
      let old = tryClaim()
      if CellRef.isPlainClaim(old, of: CellState.headMask | CellState.waited), !Observation.isOn,
        publishAndRelease(value, outcome, claimed: old, life) == .released
      {
        return .moved
      }
      guard CellRef.isPlainClaim(old) else { return concludeSlowly(old, value, outcome) }
      // The newest reaction is read next.
      unsafe platform_prefetch(CellRef(index: CellState(old).head).cell)
      before = publish(value, outcome, isPromise: isPromise)
      if before.isWaited { wake() }
    }
    return .settled(newest: before.head)
  }

  /// Completes conclude() after a claim that was not plain.
  @inline(never)
  private func concludeSlowly(_ old: UInt64, _ value: CellValue, _ outcome: Outcome) -> ReactionResult {
    guard claimed(old) == .won else { return refuse(value) }
    let before = publishInOrder(value, outcome, isPromise: isPromise)
    if before.isWaited { wake() }
    return .settled(newest: before.head)
  }

  @inline(never)
  private func refuse(_ value: CellValue) -> ReactionResult {
    awaitPublication()
    value.release()
    return .idle
  }

  /// Applies the verdict of a user's handler. Its value comes from outside and is validated first.
  @inline(never)
  func decide(_ verdict: Verdict, _ value: CellValue) -> ReactionResult {
    switch verdict {
    case _ where !value.isWellFormed: return conclude(Fault.malformedValue.value, .rejected)
    case .fulfill where value.kind == ValueKind.promise.rawValue && value.owner == self,
      .reject where value.kind == ValueKind.promise.rawValue && value.owner == self:
      // The promise would own itself: a reference cycle that is never freed.
      value.release()
      return conclude(Fault.heldByItself.value, .rejected)
    case .fulfill: return conclude(value, .fulfilled)
    case .reject: return conclude(value, .rejected)
    case .adopt where value.kind == ValueKind.promise.rawValue: return adopt(value.owner)
    default:
      value.release()
      return conclude(Fault.unknownVerdict.value, .rejected)
    }
  }
}
