import CPlatform

/// A submission in progress: a job on its way to its executor, on the stack of the settling thread.
///
/// An executor may run the job before `submit` returns. Then the job's reactions run in the submitting loop, so a chain
/// settles without recursion there too.
@unsafe
struct Submission {
  private let enclosing: UnsafeMutablePointer<Submission>?
  /// The job, until it runs: by its token, because another thread may run it while `submit` goes on, and its cell may
  /// be recycled for a job that this thread runs.
  private var job: Token?
  private var result = ReactionResult.moved

  private init(_ job: CellRef, in enclosing: UnsafeMutablePointer<Submission>?) {
    unsafe self.job = job.token
    unsafe self.enclosing = unsafe enclosing
  }

  /// Submits a job, and returns the remaining work for the submitting loop.
  static func submit(_ job: Job, to executor: CellExecutor) -> ReactionResult {
    let thread = unsafe platform_thread()
    var submission = unsafe Submission(job.ref, in: thread.pointee.submission?.assumingMemoryBound(to: Submission.self))
    return unsafe withUnsafeMutablePointer(to: &submission) { here in
      unsafe thread.pointee.submission = UnsafeMutableRawPointer(here)
      executor.submit(job)
      unsafe thread.pointee.submission = UnsafeMutableRawPointer(here.pointee.enclosing)
      return unsafe here.pointee.result
    }
  }

  /// Completes a job: runs `body`. If the executor runs the job inside `submit`, the reactions run in the submitting
  /// loop; otherwise they run here.
  static func end(_ job: CellRef, settling promise: CellRef, _ body: () -> ReactionResult) {
    let here = unsafe platform_thread().pointee.submission?.assumingMemoryBound(to: Submission.self)
    guard let here = unsafe here, unsafe here.pointee.job == job.token else { return promise.settleDownstream(body()) }
    unsafe here.pointee.job = nil
    unsafe here.pointee.result = body()
  }
}
