import Dispatch
import Promises
import PromisesTestSupport
import Testing

@Suite("Contexts: the kinds of context")
struct Places {
  static let global: [PromiseContext] = [.background, .utility, .default, .userInitiated, .userInteractive]

  @Test("T1 a quality of service runs callbacks off the main thread and off the caller's", arguments: global)
  func qualityOfService(_ context: PromiseContext) {
    let ran = Channel<(thread: UInt, isMain: Bool)>()
    Promise<Int>.resolve(1).then(on: context, { _ in ran.send((currentThread(), isOnMainQueue())) }, nil)
    let place = ran.receive()
    #expect(place.thread != currentThread())
    #expect(!place.isMain)
  }

  @Test("T1 a queue runs callbacks later, even if the caller is on it")
  func queue() {
    let queue = DispatchQueue(label: "test")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let log = Recorder<String>()
    queue.sync {
      Promise<Int>.resolve(1)
        .then(on: .queue(queue), { _ in log.record("there: \(DispatchQueue.getSpecific(key: key) == true)") }, nil)
      log.record("caller")
    }
    queue.sync {}
    #expect(log.events == ["caller", "there: true"])
  }

  @MainActor @Test("T1 the main context runs callbacks on the main thread, later, even if the caller is there")
  func main() async {
    let log = Recorder<String>()
    Promise<Int>.resolve(1).then(on: .main, { _ in log.record("main: \(isOnMainQueue())") }, nil)
    log.record("caller")
    await mainQueueDrained()
    #expect(log.events == ["caller", "main: true"])
  }

  @Test("T3 the immediate context runs callbacks on the thread that settles, or that attaches to a settled promise")
  func immediate() {
    let log = Recorder<UInt>()
    let promise = Promise<Int>()
    promise.then(on: .immediate, { _ in log.record(currentThread()) }, nil)
    let settling = onThread {
      promise.resolve(1)
      return currentThread()
    }
    promise.then(on: .immediate, { _ in log.record(currentThread()) }, nil)
    #expect(log.events == [settling, currentThread()])
    _ = Future<Int, Never>(on: .immediate) {
      log.record(currentThread())
      $0.fulfill(1)
    }
    #expect(log.events.dropFirst(2) == [currentThread()], "the body of a future, too")
  }

  @MainActor @Test("T5 auto is main on the main thread, and the default quality of service elsewhere")
  func auto() {
    #expect(PromiseContext.auto == .main)
    #expect(onThread { PromiseContext.auto } == .default)
  }

  @Test("T5 auto is main on the main queue, whichever thread serves it")
  func autoOnMainQueue() async {
    let context = await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume(returning: PromiseContext.auto) }
    }
    #expect(context == .main)
  }

  @Test("T7 a context is made from a quality of service; the unspecified one is the default")
  func fromQualityOfService() {
    #expect(PromiseContext(qos: .background) == .background)
    #expect(PromiseContext(qos: .utility) == .utility)
    #expect(PromiseContext(qos: .default) == .default)
    #expect(PromiseContext(qos: .unspecified) == .default)
    #expect(PromiseContext(qos: .userInitiated) == .userInitiated)
    #expect(PromiseContext(qos: .userInteractive) == .userInteractive)
  }

  @Test("T8 contexts are equal if they are the same place, by identity, and the same way of using it")
  func equality() {
    let (queue, other) = (DispatchQueue(label: "a"), DispatchQueue(label: "a"))
    let executor = ManualExecutor()
    let different: [PromiseContext] = [
      .immediate, .main, .background, .utility, .default, .userInitiated, .userInteractive, .queue(queue),
      .queue(other), .queue(.main), .queue(.global()), executor.here, ManualExecutor().here, .nowOr(.main),
      .nowOr(.immediate),
      .nowOr(.queue(queue)), .nowOr(.queue(other)),
    ]
    #expect(Set(different).count == different.count)
    for (index, one) in different.enumerated() {
      for (place, another) in different.enumerated() { #expect((one == another) == (index == place)) }
    }
    #expect(PromiseContext.queue(queue) == .queue(queue))
    #expect(PromiseContext.queue(.main) == .queue(.main))
    #expect(PromiseContext.queue(.global()) == .queue(.global()))
    #expect(PromiseContext.nowOr(.queue(queue)) == .nowOr(.queue(queue)))
    #expect(executor.here == executor.here)
    let current = PromiseContext.current
    #expect(current == [current][0] && current != .current)
    let (one, another) = (PromiseContext.queue(queue), PromiseContext.queue(queue))
    #expect(one.hashValue == another.hashValue && Set([one, another]).count == 1)
  }

  @Test("T8 the description of a context is its expression in Swift")
  func descriptions() {
    #expect("\(PromiseContext.main)" == ".main")
    #expect(
      Places.global.map(\.description) == [
        ".background", ".utility", ".default", ".userInitiated", ".userInteractive",
      ])
    #expect("\(PromiseContext.immediate)" == ".immediate" && "\(PromiseContext.current)" == ".nowOr(.current)")
    #expect("\(PromiseContext.nowOr(.userInitiated))" == ".nowOr(.userInitiated)")
    #expect("\(PromiseContext.queue(DispatchQueue(label: "work")))" == ".queue(work)")
    #expect("\(ManualExecutor().here)" == ".executor(ManualExecutor)")
  }

  @Test("PG8 callbacks of all kinds on one serial queue run in the order in which they were attached")
  func order() {
    let queue = DispatchQueue(label: "test")
    for rejects in [false, true] {
      let promise = Promise<Int>()
      let log = Recorder<Int>()
      for index in 0..<50 {
        promise.then(on: .queue(queue), { _ in log.record(3 * index) }, { _ in log.record(3 * index) })
        _ = promise.anyway(on: .queue(queue)) { _ in log.record(3 * index + 1) }
        promise.then(on: .queue(queue), { _ in log.record(3 * index + 2) }, { _ in log.record(3 * index + 2) })
      }
      if rejects { promise.reject(TestError()) } else { promise.resolve(1) }
      queue.sync {}
      #expect(log.events == Array(0..<150))
    }
  }

  @Test("work that blocks does not keep other work from a global queue", arguments: global)
  func blocked(_ context: PromiseContext) {
    let gate = Gate()
    let done = Channel<Int>()
    for index in 0..<32 {
      Promise<Int>.resolve(index).then(
        on: context,
        {
          gate.wait()
          done.send($0)
        }, nil)
    }
    Promise<Int>.resolve(0).then(on: context, { _ in gate.open() }, nil)
    #expect(Set((0..<32).map { _ in done.receive() }) == Set(0..<32))
  }
}
