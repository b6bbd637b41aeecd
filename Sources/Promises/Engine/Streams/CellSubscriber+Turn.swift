import CPlatform

// How a subscriber with an executor has its events there.
extension CellSubscriber {
  /// How many events a turn delivers on an executor of the library's before others that wait for it come.
  private static var share: Int { 64 }

  /// Asks the executor for a turn. Takes over a reference.
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
    // An executor of the user's may run a turn at once, so that one within another would take stack.
    var left = subscriber.executor?.runsAtOnce == false ? share : .max
    while subscriber.step() {
      left -= 1
      if left == 0 { return subscriber.submitTurn() }
    }
    subscriber.ref.release()
  }

  /// The executor has shut down, and with it the subscriber.
  private static func dropTurn(_ context: UnsafeMutableRawPointer?) {
    let subscriber = unsafe CellSubscriber(CellRef.from(context))
    _ = subscriber.cancel(.fault(.closed))
    subscriber.ref.release()
  }
}

extension CellExecutor {
  /// Whether a job may run in the call that submits it.
  fileprivate var runsAtOnce: Bool { kind == .foreign || kind == .immediate }
}
