import Testing

@testable import Promises

@Suite("Engine: executors of the qualities of service")
struct GlobalExecutors {
  @Test("T1 a quality of service has the executor of its priority")
  func priorities() throws {
    let priorities: [PoolPriority] = [.background, .utility, .standard, .userInitiated, .userInteractive]
    for (context, priority) in zip(Places.global, priorities) {
      let (executor, expected) = (try #require(context.executor), try #require(CellExecutor.global(priority)))
      #expect(executor.isSame(as: expected), "\(context)")
    }
  }
}
