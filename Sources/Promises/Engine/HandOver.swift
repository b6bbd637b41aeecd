import CPlatform

/// A job on its way to its executor, on the stack of the thread that settles.
///
/// An executor may run the job before `submit` returns. What follows from the handler is then left to the loop that handed
/// the job over, so that a chain settles without recursion there too.
@unsafe
struct HandOver {
  private let enclosing: UnsafeMutablePointer<HandOver>?
  /// The job, until it runs.
  private var job: CellRef?
  private var result = ReactionResult.moved

  private init(_ job: CellRef, in enclosing: UnsafeMutablePointer<HandOver>?) {
    unsafe self.job = job
    unsafe self.enclosing = unsafe enclosing
  }

  /// Hands a job over, and says what is left to do here.
  static func submit(_ job: Job, to executor: CellExecutor) -> ReactionResult {
    let thread = unsafe platform_thread()
    var handOver = unsafe HandOver(job.ref, in: thread.pointee.submission?.assumingMemoryBound(to: HandOver.self))
    return unsafe withUnsafeMutablePointer(to: &handOver) { here in
      unsafe thread.pointee.submission = UnsafeMutableRawPointer(here)
      executor.submit(job)
      unsafe thread.pointee.submission = UnsafeMutableRawPointer(here.pointee.enclosing)
      return unsafe here.pointee.result
    }
  }

  /// Runs what ends a job; then does what follows from it, or leaves it to the loop that is handing this very job over.
  static func end(_ job: CellRef, settling promise: CellRef, _ body: () -> ReactionResult) {
    let here = unsafe platform_thread().pointee.submission?.assumingMemoryBound(to: HandOver.self)
    guard let here = unsafe here, unsafe here.pointee.job == job else { return promise.settleDownstream(body()) }
    unsafe here.pointee.job = nil
    unsafe here.pointee.result = body()
  }
}
