import Promises
import PromisesTestSupport

/// Runs jobs in the call that submits them.
final class InlineExecutor: PromiseExecutor {
  private let held: Tracked<Void>?

  /// `held` lives as long as the executor.
  init(holding held: Tracked<Void>? = nil) { self.held = held }

  var here: PromiseContext { .executor(self) }

  func submit(_ job: PromiseJob) { job.run() }
}
