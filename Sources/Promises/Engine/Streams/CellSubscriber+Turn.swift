import CPlatform

// Delivery of events on a subscriber's executor.
extension CellSubscriber {
  /// The number of events that one turn delivers on a built-in executor before it yields to other jobs.
  private static var share: Int { 64 }

  /// Submits a turn to the executor. Takes ownership of a reference.
  func submitTurn() {
    guard let executor else { return }
    let turn = unsafe Job.task(
      on: executor, { unsafe CellSubscriber.turn($0) }, dropped: { unsafe CellSubscriber.dropTurn($0) },
      UnsafeMutableRawPointer(ref.cell))
    guard let turn else {
      _ = cancel(.fault(.outOfMemory))
      return ref.release()
    }
    guard terms.yieldsAfterEvent else { return Delivery.callOut { executor.submit(turn) } }
    // The turn may release the last reference.
    let isHeld = ref.retain()
    let thread = unsafe UInt(bitPattern: platform_thread())
    locked { $0.submitter = thread }
    Delivery.callOut { executor.submit(turn) }
    locked { if $0.submitter == thread { $0.submitter = 0 } }
    if isHeld { ref.release() }
  }

  /// The number of events that a turn delivers.
  private var limit: Int {
    if executor?.runsAtOnce == false { return CellSubscriber.share }
    // A user's executor may run a turn inside `submit`, so resubmitting from such a turn could recurse without bound.
    guard terms.yieldsAfterEvent else { return .max }
    let thread = unsafe UInt(bitPattern: platform_thread())
    return locked { $0.submitter == thread } ? .max : 1
  }

  private static func turn(_ context: UnsafeMutableRawPointer?) {
    let subscriber = unsafe CellSubscriber(CellRef.from(context))
    var left = subscriber.limit
    while subscriber.step() {
      left -= 1
      if left == 0 { return subscriber.submitTurn() }
    }
    subscriber.ref.release()
  }

  /// Handles a turn that the executor dropped. The events stay queued until the next event, or the end, schedules a
  /// turn. If that is dropped too, the executor has shut down, and the subscriber is ended. So is one with a promise of
  /// the end, which reports it, and one with a limited queue, which might have no capacity for the next event. Nothing
  /// follows an end.
  private static func dropTurn(_ context: UnsafeMutableRawPointer?) {
    let subscriber = unsafe CellSubscriber(CellRef.from(context))
    let isOpen = subscriber.locked { state in
      guard subscriber.end == nil, subscriber.terms.capacity == 0, !state.isTurnDropped, state.phase == .scheduled,
        state.ending == nil
      else { return false }
      (state.phase, state.isTurnDropped) = (.idle, true)
      return true
    }
    if !isOpen { _ = subscriber.cancel(.fault(.closed)) }
    subscriber.ref.release()
  }
}
