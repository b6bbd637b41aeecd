import PromisesTestSupport
import Testing

@testable import Promises

@Suite("Engine: the substitute of the main executor")
struct MainSubstitute {
  @MainActor @Test("Swift and C have one substitute for the main executor")
  func oneSubstitute() async {
    await #expect(processExitsWith: .success) {
      let executor = ManualExecutor()
      let log = Recorder<String>()
      PromiseContext.useMainExecutor(executor)
      precondition(CellExecutor.main!.run { log.record("C") })
      executor.runAll()
      precondition(log.events == ["C"])

      // As promise_executor_set_main() does.
      let other = ManualExecutor()
      let place = other.here
      precondition(CellExecutor.replaceMain(place.executor))
      withExtendedLifetime(place) {}
      let done = Promise<Int>.resolve(1).then(on: .main) { log.record("\($0)") }.then(on: .main) { log.record("2") }
      precondition(executor.count == 0 && other.count == 1 && PromiseContext.auto == .main)
      other.runAll()
      precondition(log.events == ["C", "1", "2"] && done.state == .fulfilled)

      // A dropped pass drops its callback.
      let dropped = Promise<Int>.resolve(1).then(on: .main) { $0 }
      other.take().forEach { $0.drop() }
      precondition(dropped.state == .rejected)

      PromiseContext.useMainExecutor(nil)
      precondition(CellExecutor.main!.run { log.record("loop") })
      precondition(other.count == 0 && CellLoop.main!.runOnce().count == 1 && log.events.last == "loop")
    }
  }

  @MainActor @Test("a substitute that was replaced is released once its turns have run")
  func releasedSubstitute() async {
    await #expect(processExitsWith: .success) {
      weak var released: ManualExecutor?
      do {
        let executor = ManualExecutor()
        released = executor
        PromiseContext.useMainExecutor(executor)
        Promise<Int>.resolve(1).then(on: .main, { _ in })
        executor.runAll()
        PromiseContext.useMainExecutor(nil)
      }
      precondition(released == nil)
    }
  }
}
