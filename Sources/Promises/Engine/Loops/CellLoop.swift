import CPlatform
import Synchronization

/// A handle of a loop, beside the cell of the loop's executor, which may be held for longer.
///
///          meta      state            context, free
///   loop   subkind   handles | flags  its executor, and its release
///
/// Its life word is marked as weakly referenced from the beginning, so a call pins the loop by the token alone
/// (`Token.pinned`), whichever thread gives the last handle back meanwhile.
package struct CellLoop {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  /// Makes a loop with one handle; nil without memory, or descriptors.
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

  /// A handle of the loop that an executor has. Takes over a reference to the executor.
  private static func handle(of executor: CellExecutor) -> CellLoop? {
    guard let ref = CellRef.allocate(.loop) else { return nil }
    unsafe ref.cell.pointee.state.store(CellRef.oneHandle, ordering: .relaxed)
    unsafe ref.cell.pointee.context = UnsafeMutableRawPointer(executor.ref.cell)
    unsafe ref.cell.pointee.free = { unsafe CellRef.from($0).release() }
    _ = WeakCell(ref)
    return CellLoop(ref)
  }

  /// The main loop: there always is one, even while jobs go elsewhere.
  package static var main: CellLoop? {
    guard let executor = CellExecutor.main else { return nil }
    return unsafe mainHandle.get { unsafe UnsafeMutableRawPointer(handle(of: executor)?.ref.cell) }
      .map { unsafe CellLoop(CellRef.from($0)) }
  }

  package var executor: CellExecutor { unsafe CellExecutor(CellRef.from(ref.cell.pointee.context)) }
  package var isMain: Bool { executor.kind == .main }
  var loop: EventLoop { unsafe EventLoop(address: executor.loopAddress) }

  package var descriptor: Int32 { loop.descriptor }
  /// Whether the calling thread runs the loop.
  package var isCurrent: Bool { loop.isCurrent }
  package func stop() { loop.stop() }
  package func runOnce() -> (count: Int, refusal: EventLoop.End?) { loop.runOnce() }

  package func run(nanoseconds: Int64) -> EventLoop.End {
    loop.run(until: nanoseconds <= 0 ? nanoseconds : CellTimer.deadline(after: nanoseconds))
  }

  /// Runs the loop until a promise is settled; nil if it is.
  package func run(until promise: CellRef, nanoseconds: Int64) -> EventLoop.End? {
    loop.run(until: promise, nanoseconds: nanoseconds)
  }

  /// Adds a handle. The main loop's are not counted. False if there are too many, or the last one is gone.
  package func retainHandle() -> Bool { isMain || ref.retainHandle() }
  package var hasHandles: Bool { ref.hasHandles }

  /// Gives a handle back; with the last one the loop is closed. The caller has pinned it.
  package func releaseHandle() {
    // When it closes, what is dropped, and calls back, finds the handle stale already.
    guard !isMain, ref.releaseHandle() else { return }
    loop.close()
    ref.release()
  }
}

private let mainHandle = Single()
