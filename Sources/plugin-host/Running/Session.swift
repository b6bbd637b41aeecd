import Glibc
import PluginRuntime
import Promises

/// Loaded plugins, and the threads and the loop that a command runs them with.
@MainActor
final class Session {
  nonisolated let loop: EventLoop
  nonisolated let workers = Workers()
  nonisolated let host: Host
  /// Who hears of progress and of the plugins' log; without one, the log goes to standard error.
  weak var board: ProgressBoard?

  private let threshold: LogThreshold

  /// Loads the plugins, in their order.
  init(_ plugins: [PluginDescription], settings: [PluginSetting], log threshold: LogThreshold) throws(Failure) {
    let configuration = try settings.resolved(for: plugins)
    self.threshold = threshold
    do {
      loop = try EventLoop()
    } catch {
      throw Failure(.rejected, "no event loop: \(error)")
    }
    host = Host(Host.Options())
  }
}
