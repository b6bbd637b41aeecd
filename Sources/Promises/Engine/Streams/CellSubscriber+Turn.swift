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
    Delivery.callOut { executor.submit(turn) }
  }

  private static func turn(_ context: UnsafeMutableRawPointer?) {
    let subscriber = unsafe CellSubscriber(CellRef.from(context))
    // A user's executor may run a turn inside `submit`, so resubmitting from a turn could recurse without bound.
    var left = subscriber.executor?.runsAtOnce == false ? share : .max
    while subscriber.step() {
      left -= 1
      if left == 0 { return subscriber.submitTurn() }
    }
    subscriber.ref.release()
  }

  /// Ends the subscriber of an executor that has shut down.
  private static func dropTurn(_ context: UnsafeMutableRawPointer?) {
    let subscriber = unsafe CellSubscriber(CellRef.from(context))
    _ = subscriber.cancel(.fault(.closed))
    subscriber.ref.release()
  }
}

extension CellExecutor {
  /// Whether a job may run inside `submit`.
  fileprivate var runsAtOnce: Bool { kind == .foreign || kind == .immediate }
}
