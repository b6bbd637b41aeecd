import CPlatform

/// A loop as the world outside holds it: a cell beside that of its executor, which may be held for longer.
///
///          meta      next
///   loop   subkind   its executor
package struct CellLoop {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  /// A new loop; nil without memory, or descriptors.
  package static func make() -> CellLoop? {
    guard let loop = EventLoop.make() else { return nil }
    let context = unsafe Context(loop.address) { unsafe EventLoop(address: $0).free() }
    let submit: CellExecutor.Submit = { unsafe EventLoop(address: $0).submit(Job(submitted: $1)) }
    guard let executor = unsafe CellExecutor.make(submit, context, kind: .loop) else { return nil }
    guard let made = handle(of: executor) else {
      executor.ref.release()
      return nil
    }
    return made
  }

  /// A handle of the loop that an executor has, which holds the executor from now on.
  private static func handle(of executor: CellExecutor) -> CellLoop? {
    guard let ref = CellRef.allocate(.loop) else { return nil }
    unsafe ref.cell.pointee.next = executor.ref.index
    return CellLoop(ref)
  }

  /// The main loop: there always is one, even while jobs go elsewhere.
  package static var main: CellLoop? {
    guard let executor = CellExecutor.main else { return nil }
    return unsafe mainHandle.get { unsafe UnsafeMutableRawPointer(handle(of: executor)?.ref.cell) }
      .map { unsafe CellLoop(CellRef.from($0)) }
  }

  package var executor: CellExecutor { unsafe CellExecutor(CellRef(index: ref.cell.pointee.next)) }
  package var isMain: Bool { executor.kind == .main }
  var loop: EventLoop { unsafe EventLoop(address: executor.loopAddress) }

  package var descriptor: Int32 { loop.descriptor }
  package func stop() { loop.stop() }
  package func runOnce() -> (count: Int, refusal: EventLoop.End?) { held { loop.runOnce() } }

  package func run(nanoseconds: Int64) -> EventLoop.End {
    let deadline = nanoseconds <= 0 ? nanoseconds : CellTimer.deadline(after: nanoseconds)
    return held { loop.run(until: deadline) }
  }

  /// The loop may be freed by a job that it runs.
  func held<Result>(_ body: () -> Result) -> Result {
    let executor = self.executor
    let isHeld = executor.ref.retain()
    defer { if isHeld { executor.ref.release() } }
    return body()
  }

  /// Runs the loop until a promise is settled; nil if it is.
  package func run(until promise: CellRef, nanoseconds: Int64) -> EventLoop.End? {
    held { loop.run(until: promise, nanoseconds: nanoseconds) }
  }

  /// Closes the loop and gives its only reference back.
  package func free() {
    let (loop, executor) = (self.loop, self.executor)
    // First, so that what is dropped, and calls back, finds the loop gone.
    ref.release()
    loop.close()
    executor.ref.release()
  }
}

private let mainHandle = Single()
