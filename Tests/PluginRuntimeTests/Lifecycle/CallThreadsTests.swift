import Dispatch
import Glibc
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

@Suite struct CallThreadsTests {
  @Test func aThreadTakesOneJobAfterTheOther() async {
    let threads = CallThreads(limit: 1)
    for _ in 0..<1000 {
      await withCheckedContinuation { continuation in threads.run { continuation.resume() } }
    }
  }

  @Test func aThreadThatEndedLeavesRoomForAnother() async throws {
    let threads = CallThreads(limit: 1, idleTime: .milliseconds(1))
    for _ in 0..<3 {
      await withCheckedContinuation { continuation in threads.run { continuation.resume() } }
      try await waiting(for: { threads.count == 0 })
    }
  }

  @Test("a job does not inherit the blocked signals of the thread that adds it")
  func signals() async {
    let isBlocked = await withCheckedContinuation { continuation in
      _ = ProcessGuard.startThread {
        var signals = sigset_t()
        sigemptyset(&signals)
        // SIGPROF, because threads of libdispatch block most others, and one of them may start the first thread here.
        sigaddset(&signals, SIGPROF)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        CallThreads(limit: 1).run {
          var blocked = sigset_t()
          pthread_sigmask(SIG_BLOCK, nil, &blocked)
          continuation.resume(returning: sigismember(&blocked, SIGPROF) == 1)
        }
      }
    }
    #expect(!isBlocked)
  }

  /// The release of the captured objects may be the event that another call waits for.
  @Test func aJobIsReleasedAsSoonAsItHasRun() async throws {
    let threads = CallThreads(limit: 1, idleTime: .seconds(3_600))
    for _ in 0..<3 {
      weak var gone: Atomics?
      do {
        let held = Atomics()
        gone = held
        threads.run { held.ended.add(1, ordering: .relaxed) }
      }
      try await waiting(for: { gone == nil })
    }
  }

  /// The thread that adds a job would wait for the end of the objects that the job holds.
  @Test func aJobIsReleasedOnItsThreadEvenIfItEndsBeforeItIsAdded() throws {
    let threads = Pool()
    let started = Atomics()
    threads.threads = CallThreads(limit: 1, idleTime: .seconds(3_600)) { body in
      let isStarted = ProcessGuard.startThread(body)
      for _ in 0..<5_000 where threads.held != nil { usleep(1_000) }
      started.now.store(threads.held == nil ? 1 : 2, ordering: .relaxed)
      return isStarted
    }
    do {
      let held = Atomics()
      threads.held = held
      threads.threads?.release(consume held)
    }
    #expect(started.now.load(ordering: .relaxed) == 1)
  }

  @Test func aThreadIsBusyWhileItReleasesItsJob() async throws {
    let threads = CallThreads(limit: 2, idleTime: .seconds(3_600))
    let (entered, gate, ran) = (Gate(), Gate(), Recorder<Int>())
    defer { gate.open() }
    threads.release(
      LastWord {
        entered.open()
        gate.wait()
      })
    await onThread { entered.wait() }
    threads.run { ran.record(1) }
    try await waiting(for: { ran.count == 1 })
  }

  /// Functions of plugins may wait for each other.
  @Test func jobsThatWaitForEachOtherAllRun() async throws {
    let threads = CallThreads(limit: 100)
    let running = Atomics()
    let ended = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
      running.now.store(0, ordering: .relaxed)
      for _ in 0..<100 {
        threads.run {
          running.now.add(1, ordering: .relaxed)
          ended.wait()
        }
      }
      try await waiting(for: { running.now.load(ordering: .relaxed) == 100 })
      for _ in 0..<100 { ended.signal() }
    }
    #expect(threads.count <= 100)
  }

  @Test("a job that comes while a thread cannot be started is run, too")
  func withoutThreads() {
    let (ran, pool) = (Recorder<Int>(), Pool())
    pool.threads = CallThreads(limit: 10) { _ in
      if ran.count == 0, pool.attempts.add(1, ordering: .relaxed).newValue == 1 { pool.run { ran.record(2) } }
      return false
    }
    pool.run { ran.record(1) }
    #expect(ran.events == [1, 2])
  }

  @Test("a job for which no thread could be started gets one that sleeps")
  func sleeping() async throws {
    let (ran, pool, gate) = (Recorder<Int>(), Pool(), Gate())
    pool.threads = CallThreads(limit: 10, idleTime: .seconds(3_600)) { body in
      if pool.attempts.add(1, ordering: .relaxed).newValue == 1 { return ProcessGuard.startThread(body) }
      // The busy thread becomes free, takes the first job, and sleeps before the second one comes.
      gate.open()
      while ran.count == 0 || pool.threads?.sleeping == 0 { sched_yield() }
      pool.run { ran.record(2) }
      return false
    }
    let isBusy = Gate()
    pool.run {
      isBusy.open()
      gate.wait()
    }
    await onThread { isBusy.wait() }
    pool.run { ran.record(1) }
    try await waiting(for: { ran.events == [1, 2] })
  }

  @Test("a job that must not run on the calling thread is refused if no thread is free, and none can be started")
  func elsewhere() async {
    let (ran, pool, gate, isBusy) = (Recorder<Int>(), Pool(), Gate(), Gate())
    let threads = CallThreads(limit: 10) { body in
      pool.attempts.add(1, ordering: .relaxed).newValue == 2 && ProcessGuard.startThread(body)
    }
    #expect(!threads.runElsewhere { ran.record(1) })
    let isRun = threads.runElsewhere {
      isBusy.open()
      gate.wait()
      ran.record(2)
    }
    #expect(isRun)
    await onThread { isBusy.wait() }
    #expect(!threads.runElsewhere { ran.record(3) })
    gate.open()
    await onThread { while ran.count == 0 || threads.sleeping == 0 { sched_yield() } }
    #expect(threads.runElsewhere { ran.record(4) })
    await onThread { while ran.count < 2 { sched_yield() } }
    #expect(ran.events == [2, 4])
  }

  @Test func noMoreJobsRunAtOnceThanTheLimit() async {
    let threads = CallThreads(limit: 3)
    let running = Atomics()
    await withCheckedContinuation { continuation in
      for _ in 0..<100 {
        threads.run {
          let now = running.now.add(1, ordering: .relaxed).newValue
          running.most.max(now, ordering: .relaxed)
          running.now.subtract(1, ordering: .relaxed)
          if running.ended.add(1, ordering: .relaxed).newValue == 100 { continuation.resume() }
        }
      }
    }
    #expect(1...3 ~= running.most.load(ordering: .relaxed))
  }
}

/// Threads whose start a test controls.
private final class Pool: Sendable {
  // Written before the first job.
  nonisolated(unsafe) var threads: CallThreads?
  /// The number of threads that were to be started.
  let attempts = Atomic<Int>(0)
  // Written before the first job; weak references are read with a lock.
  nonisolated(unsafe) weak var held: Atomics?

  func run(_ job: @escaping CallThreads.Job) { threads?.run(job) }
}

private final class Atomics: Sendable {
  let now = Atomic<Int>(0)
  let most = Atomic<Int>(0)
  let ended = Atomic<Int>(0)
}
