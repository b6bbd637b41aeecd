import Dispatch
import Foundation
import Glibc
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Isolation: the threads of a worker that read frames and make calls")
struct FrameServerTests {
  /// A server whose frames run closures, which are added as its calls, and the host's end of its socket.
  private final class Worker: Sendable {
    let host: Int32
    let channel: WorkerChannel
    let server: FrameServer
    private let bodies = Mutex<[@Sendable () -> Void]>([])
    /// The thread that read each frame.
    let readers = Mutex<[UInt64: pthread_t]>([:])

    init(limit: Int = 100, _ type: __socket_type = SOCK_STREAM) throws {
      var sockets: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0)
      host = sockets[0]
      channel = WorkerChannel(moving: sockets[1])
      server = FrameServer(channel, CallThreads(limit: 100), limit: limit)
      // The socket stays open: when the host closes it, the worker ends its process.
      let started = server.start { [self] frame in
        readers.withLock { $0[frame.request] = pthread_self() }
        server.add(bodies.withLock { $0[Int(frame.request)] })
      }
      try #require(started)
    }

    /// Sends frames in one write, for calls that run these closures.
    func run(_ calls: (@Sendable () -> Void)...) throws {
      let first = bodies.withLock { bodies in
        bodies += calls
        return bodies.count - calls.count
      }
      var bytes: [UInt8] = []
      for index in calls.indices { bytes += try Frame(.call, UInt64(first + index)).encoded().bytes }
      #expect(write(host, bytes, bytes.count) == bytes.count)
    }

    func answer(_ number: UInt64) { _ = channel.send(Frame(.fulfilled, number)) }

    /// Returns the numbers of the frames that come with the next read.
    func answers() throws -> [UInt64] {
      var stream = FrameStream()
      guard case .received = try stream.incoming.receive(host, &stream.reader) else { return [] }
      var numbers: [UInt64] = []
      while let frame = try stream.reader.next() { numbers.append(frame.request) }
      return numbers
    }
  }

  @Test("a call runs on the thread that read it, and the next ones on the same thread")
  func inline() throws {
    // A leader that has no processor for a whole tick is replaced: on a busy machine in each round but one.
    for _ in 0..<20 {
      let worker = try Worker()
      let threads = Mutex<[pthread_t]>([])
      for number in 0..<50 {
        try worker.run {
          threads.withLock { $0.append(pthread_self()) }
          worker.answer(UInt64(number))
        }
        #expect(try worker.answers() == [UInt64(number)])
      }
      let readers = worker.readers.withLock { $0 }
      let runners = threads.withLock { $0 }
      if runners.enumerated().filter({ readers[UInt64($0)] == $1 }).count > 25, Set(runners).count < 25 { return }
    }
    Issue.record("in no round did most calls run on the thread that read them")
  }

  @Test("a call that does not return stops neither reading nor the calls that came with it")
  func stuck() throws {
    let worker = try Worker()
    let end = DispatchSemaphore(value: 0)
    let first: @Sendable () -> Void = {
      end.wait()
      worker.answer(0)
    }
    try worker.run(first, { worker.answer(1) })
    #expect(try worker.answers() == [1])
    try worker.run { worker.answer(2) }
    #expect(try worker.answers() == [2])
    end.signal()
    #expect(try worker.answers() == [0])
    try worker.run { worker.answer(3) }
    #expect(try worker.answers() == [3])
  }

  @Test("the frame that a call waits for is read", arguments: [1, 5])
  func waiting(_ calls: Int) throws {
    let worker = try Worker()
    let arrived = DispatchSemaphore(value: 0)
    for number in 0..<calls {
      try worker.run {
        worker.server.willWait()
        worker.answer(100 + UInt64(number))
        arrived.wait()
        worker.answer(UInt64(number))
      }
      #expect(try worker.answers() == [100 + UInt64(number)])
    }
    var answers: [UInt64] = []
    for _ in 0..<calls { try worker.run { arrived.signal() } }
    while answers.count < calls { answers += try worker.answers() }
    #expect(answers.sorted() == (0..<calls).map(UInt64.init))
  }

  @Test("answers of calls that came together are sent together, unless one of them takes long")
  func together() throws {
    // Each read gets the bytes of one call of send().
    let worker = try Worker(SOCK_SEQPACKET)
    var batches = 0
    let deadline = ContinuousClock.now + .seconds(60)
    // A thread that has no processor for a while sends its answers one by one.
    while batches < 10, ContinuousClock.now < deadline {
      try worker.run({ worker.answer(0) }, { worker.answer(1) }, { worker.answer(2) })
      var answers = try worker.answers()
      if answers == [0, 1, 2] { batches += 1 }
      while answers.count < 3 { answers += try worker.answers() }
    }
    #expect(batches == 10)
    batches = 0
    // After a call that takes long, too.
    while batches < 10, ContinuousClock.now < deadline {
      try worker.run({ usleep(60) }, { worker.answer(0) }, { worker.answer(1) }, { worker.answer(2) })
      var answers = try worker.answers()
      if answers == [0, 1, 2] { batches += 1 }
      while answers.count < 3 { answers += try worker.answers() }
    }
    #expect(batches == 10)
    let end = DispatchSemaphore(value: 0)
    try worker.run({ worker.answer(7) }, { end.wait() })
    #expect(try worker.answers() == [7])
    end.signal()
  }

  /// The number of signals that were handled.
  private static let interruptions = Atomic<Int>(0)

  @Test("a frame is sent whole though handlers of signals interrupt the thread that sends it")
  func interrupted() throws {
    var (action, old) = (sigaction(), sigaction())
    // Without SA_RESTART, the call that was interrupted fails.
    action.__sigaction_handler.sa_handler = { _ in FrameServerTests.interruptions.add(1, ordering: .relaxed) }
    try #require(sigaction(SIGUSR2, &action, &old) == 0)
    defer { sigaction(SIGUSR2, &old, nil) }
    let worker = try Worker()
    let texts = [PluginValue](repeating: .string(String(repeating: "x", count: 50)), count: 100_000)
    let sender = Mutex<(thread: pthread_t, status: String)?>(nil)
    try worker.run {
      let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      let status = "/proc/\(link ?? "")/stat"
      sender.withLock { $0 = (pthread_self(), status) }
      // Threads of Dispatch, and those that they start, block signals.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGUSR2)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      _ = worker.channel.send(Frame(.fulfilled, 7, .array(texts)))
    }
    var readable = pollfd(fd: worker.host, events: Int16(POLLIN), revents: 0)
    #expect(poll(&readable, 1, -1) == 1)
    let (thread, status) = try #require(sender.withLock { $0 })
    // The first one ends a call that has sent some bytes; the later ones fail calls that have sent none.
    for number in 1...3 {
      while try !String(contentsOfFile: status, encoding: .utf8).contains(") S ") { sched_yield() }
      #expect(pthread_kill(thread, SIGUSR2) == 0)
      while Self.interruptions.load(ordering: .relaxed) < number { sched_yield() }
    }
    var stream = FrameStream()
    var frame: Frame?
    while frame == nil {
      guard case .received = try stream.incoming.receive(worker.host, &stream.reader) else { break }
      frame = try stream.reader.next()
    }
    #expect(frame?.request == 7 && frame?.body == .array(texts))
  }

  @Test("without a thread that could read on, all calls run on threads of the pool")
  func limited() throws {
    let worker = try Worker(limit: 0)
    let isSame = Atomic<Bool>(true)
    let end = DispatchSemaphore(value: 0)
    try worker.run {
      let reader = worker.readers.withLock { $0[0] }
      isSame.store(reader == pthread_self(), ordering: .relaxed)
      worker.answer(0)
      end.wait()
    }
    #expect(try worker.answers() == [0])
    let isElsewhere = !isSame.load(ordering: .relaxed)
    #expect(isElsewhere)
    try worker.run { worker.answer(1) }
    #expect(try worker.answers() == [1])
    end.signal()
  }

  @Test("a thread that was replaced does not count any more once its call has returned")
  func returned() throws {
    let worker = try Worker(limit: 1)
    let end = DispatchSemaphore(value: 0)
    try worker.run({ end.wait() }, { worker.answer(0) })
    // Made on another thread: the first one was replaced, and no second one may be.
    #expect(try worker.answers() == [0])
    end.signal()
    let isInline = Atomic<Bool>(false)
    var number: UInt64 = 2
    while !isInline.load(ordering: .relaxed), number < 100_000 {
      let own = number
      try worker.run {
        let reader = worker.readers.withLock { $0[own] }
        if reader == pthread_self() { isInline.store(true, ordering: .relaxed) }
        worker.answer(own)
      }
      #expect(try worker.answers() == [own])
      number += 1
    }
    #expect(number < 100_000)
  }
}
