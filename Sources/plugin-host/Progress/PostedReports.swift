import PluginRuntime
import Synchronization

/// The reports of one call, on their way to the display on the main thread. If reports are made faster than they are
/// shown, only the last one is kept.
final class PostedReports: Sendable {
  private let loop: MainLoop
  private let show: @MainActor @Sendable (StepState.Report) -> Void
  private let backlog = Mutex(Backlog<ProgressReport>())

  init(_ loop: MainLoop, show: @escaping @MainActor @Sendable (StepState.Report) -> Void) {
    self.loop = loop
    self.show = show
  }

  func post(_ report: ProgressReport) {
    guard backlog.withLock({ $0.enter { _ in report } }) else { return }
    loop.post { [self] in
      show(StepState.Report(report))
      if let last = backlog.withLock({ $0.leave() }) { show(StepState.Report(last)) }
    }
  }
}
