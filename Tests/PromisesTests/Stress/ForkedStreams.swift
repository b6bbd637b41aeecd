import Dispatch
import Glibc
import Promises
import PromisesTestSupport
import Synchronization
import Testing

@Suite("Stress: fork() while streams are made")
struct ForkedStreams {
  @Test("a process may be forked while another thread adds callbacks in a context")
  func callbacks() async {
    await #expect(processExitsWith: .success) {
      // Swift declares fork() as unavailable.
      typealias Fork = @convention(c) () -> pid_t
      let fork = unsafeBitCast(try #require(dlsym(nil, "fork")), to: Fork.self)
      let isOver = Atomic(false)
      let forked = DispatchSemaphore(value: 0)
      let adding = Thread {
        let (publisher, queue) = (Publisher<Int, Never>(), DispatchQueue(label: "test"))
        while !isOver.load(ordering: .relaxed) { publisher.subscriber().onNewData(on: .queue(queue)) { _ in } }
      }
      let forking = Thread {
        for _ in 0..<200 {
          let child = fork()
          if child == 0 { _exit(0) }
          precondition(child > 0 && waitpid(child, nil, 0) == child)
        }
        forked.signal()
      }
      precondition(forked.wait(timeout: .now() + 1_800) == .success, "a deadlock")
      isOver.store(true, ordering: .relaxed)
      adding.join()
      forking.join()
    }
  }
}
