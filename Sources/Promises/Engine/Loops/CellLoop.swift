import CPlatform
import Synchronization

/// A handle of a loop, beside the cell of the loop's executor, which may be retained for longer.
///
///          meta      state            context, free
///   loop   subkind   handles | flags  its executor, and its release
///
/// The life word is marked as weakly referenced when the cell is made. So a call can pin the loop by the token alone
/// (`Token.pinned`), also while another thread releases the last handle.
package struct CellLoop {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  /// Makes a loop with one handle; nil when memory or descriptors have run out.
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

  /// Makes a handle of an executor's loop. Takes ownership of a reference to the executor.
  private static func handle(of executor: CellExecutor) -> CellLoop? {
    guard let ref = CellRef.allocate(.loop) else { return nil }
    ref.startHandles()
    ref.reactionContext = unsafe Context(UnsafeMutableRawPointer(executor.ref.cell)) {
      unsafe CellRef.from($0).release()
    }
    _ = WeakCell(ref)
    return CellLoop(ref)
  }

  /// The main loop. It always exists, also while its jobs run on a substitute.
  package static var main: CellLoop? {
    guard let executor = CellExecutor.main else { return nil }
    return unsafe mainHandle.get { unsafe UnsafeMutableRawPointer(handle(of: executor)?.ref.cell) }
      .map { unsafe CellLoop(CellRef.from($0)) }
  }

  package var executor: CellExecutor { CellExecutor(ref.contextCell) }
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

  /// Runs the loop until a promise is settled; returns nil if the promise is settled.
  package func run(until promise: CellRef, nanoseconds: Int64) -> EventLoop.End? {
    loop.run(until: promise, nanoseconds: nanoseconds)
  }

  /// Takes another handle; those of the main loop are not counted.
  package func retainHandle() -> HandleRetain { isMain ? .retained : ref.retainHandle() }
  package var hasHandles: Bool { ref.hasHandles }

  /// Releases a handle; the last one closes the loop. The caller must have pinned the loop.
  package func releaseHandle() {
    // Callbacks of jobs that are dropped by the close find the handle stale already.
    guard !isMain, ref.releaseHandle() == .last else { return }
    loop.close()
    ref.release()
  }
}

private let mainHandle = Single()
