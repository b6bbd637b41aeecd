import Foundation
import Promises
import PromisesTestSupport
import Testing

extension Observed {
  @Suite("Traces and dumps")
  struct Traces {
    /// Returns the text of a trace of `body`. Call in a process without other tests, which may make more events than
    /// are kept.
    private static func trace(as format: PromiseTrace.Format, _ body: () -> Void) throws -> Data {
      let file = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString)")
      #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
      defer { try? FileManager.default.removeItem(at: file) }
      PromiseTrace.start()
      body()
      PromiseTrace.stop()
      let handle = try FileHandle(forWritingTo: file)
      try PromiseTrace.write(to: handle.fileDescriptor, as: format)
      try handle.close()
      return try Data(contentsOf: file)
    }

    @Test("a trace is JSON, with the life of a promise and the callbacks that ran")
    func perfetto() async {
      await #expect(processExitsWith: .success) {
        let promise = Promise<Int>()
        let derived = Monitor<Promise<Int>?>(nil)
        let data = try Traces.trace(as: .perfetto) {
          derived.withLock { $0 = promise.then { $0 + 1 } }
          promise.resolve(1)
        }
        let root = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let events = try #require(root["traceEvents"] as? [[String: Any]])
        let id = "0x" + String(try #require(derived.withLock { $0 }).id, radix: 16)
        func phases(_ key: String, _ value: String) -> [String] {
          events.filter { ($0["args"] as? [String: Any])?[key] as? String == value }.compactMap { $0["ph"] as? String }
        }
        #expect(phases("id", id) == ["B"])
        #expect(phases("promise", id) == ["X"])
        #expect(events.filter { $0["id"] as? String == id }.compactMap { $0["ph"] as? String } == ["b", "e"])
      }
    }

    @Test("a graph has an edge for each promise made of another")
    func graphviz() async {
      await #expect(processExitsWith: .success) {
        let promise = Promise<Int>()
        let ids = Recorder<UInt64>()
        let text = String(
          decoding: try Traces.trace(as: .graphviz) { ids.record(promise.then { $0 + 1 }.id) }, as: UTF8.self)
        let derived = try #require(ids.events.first)
        #expect(text.contains("\"0x\(String(promise.id, radix: 16))\" -> \"0x\(String(derived, radix: 16))\";"))
        #expect(text.hasPrefix("digraph promises {\n") && text.hasSuffix("}\n"))
      }
    }

    @Test("a closure is called with each event, and released when the trace is stopped")
    func events() {
      let log = Recorder<PromiseTrace.Event>()
      let released = Monitor(false)
      var owner: LastWord? = LastWord { released.withLock { $0 = true } }
      PromiseTrace.start { [owner] event in
        owner?.touch()
        log.record(event)
      }
      owner = nil
      let promise = Promise<Int>()
      let derived = promise.then { $0 + 1 }
      promise.resolve(1)
      let rejected = Promise<Int>()
      rejected.reject(TestError())
      let lost = Promise<Int>().id
      let observed = Promise<Int>()
      observed.future.whenResolved { _ in }
      let elsewhere = onThread { Promise<Int>().id }
      #expect(!released.withLock { $0 })
      PromiseTrace.stop()
      // Other tests may still be within a call of the observer, which is released after the last call.
      released.wait { $0 ? () : nil }
      promise.then { $0 + 2 }
      let events = log.events
      func kinds(_ id: UInt64) -> [PromiseTrace.Event.Kind] { events.filter { $0.id == id }.map(\.kind) }
      #expect(kinds(promise.id) == [.created, .settled(.fulfilled)])
      #expect(kinds(derived.id) == [.created, .began, .settled(.fulfilled), .ended])
      #expect(kinds(rejected.id) == [.created, .settled(.rejected)] && rejected.state == .rejected)
      #expect(kinds(lost) == [.created, .dropped])
      #expect(events.filter { $0.id == lost }.map(\.parent) == [nil, nil])
      #expect(events.filter { $0.id == derived.id && $0.kind == .created }.map(\.parent) == [promise.id])
      let times = events.filter { $0.id == derived.id }.map(\.time)
      #expect(times == times.sorted())
      let attached = events.filter { $0.parent == observed.id }
      #expect(attached.map(\.kind) == [.attached] && attached.first?.id != observed.id)
      func threads(_ id: UInt64) -> Set<Int32> { Set(events.filter { $0.id == id }.map(\.thread)) }
      #expect(threads(promise.id).count == 1 && threads(promise.id) == threads(derived.id))
      #expect(threads(elsewhere).count == 1 && threads(elsewhere).isDisjoint(with: threads(promise.id)))
      observed.resolve(1)
    }

    @Test("a trace that calls a closure keeps as many events as it has room for, too")
    func eventsAndText() async {
      await #expect(processExitsWith: .success) {
        let file = FileManager.default.temporaryDirectory.appending(path: "trace-\(UUID().uuidString)")
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: file) }
        let log = Recorder<UInt64>()
        PromiseTrace.start(capacity: 100) { log.record($0.id) }
        let promise = Promise<Int>()
        let derived = promise.then { $0 + 1 }
        PromiseTrace.stop()
        let handle = try FileHandle(forWritingTo: file)
        try PromiseTrace.write(to: handle.fileDescriptor, as: .graphviz)
        try handle.close()
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text.contains("\"0x\(String(promise.id, radix: 16))\" -> \"0x\(String(derived.id, radix: 16))\";"))
        #expect(log.events.contains(promise.id) && log.events.contains(derived.id))
      }
    }

    @Test("a failed write is an error with the system's number")
    func failure() {
      #expect { try PromiseTrace.write(to: -1, as: .perfetto) } throws: {
        ($0 as? PromiseTrace.WritingFailure)?.code == EBADF
      }
    }

    @Test("a dump names the settler of each pending promise")
    func dump() {
      let promise = Promise<Int>()
      let derived = promise.then { $0 + 1 }
      let later = promise.future.delay(60)
      let lines = PromiseDump.lines()
      func line(_ id: UInt64) -> String? { lines.first { $0.hasPrefix("0x\(String(id, radix: 16)) ") } }
      #expect(line(promise.id)?.hasSuffix("2 callbacks: any holder") == true)
      #expect(lines.contains { $0.hasSuffix("a delay, after 0x\(String(promise.id, radix: 16))") })
      #expect(line(derived.id)?.hasSuffix("a callback, after 0x\(String(promise.id, radix: 16))") == true)
      promise.resolve(1)
      withExtendedLifetime((derived, later)) {}
    }

    @Test("a trace and dumps while other threads create, settle and release promises")
    func concurrently() {
      PromiseTrace.start(capacity: 1000)
      onThreads(4) { thread in
        for round in 0..<300 {
          let promise = Promise<Int>()
          let all = promise.then(on: .default) { $0 + 1 }.then { $0 + 1 }
          // Dump seldom: a dump visits each cell that this process ever allocated, and other tests allocate millions.
          if thread == 0 && round % 100 == 50 { #expect(!PromiseDump.lines().isEmpty) }
          if thread != 1 { promise.resolve(1) }
          withExtendedLifetime(all) {}
        }
      }
      PromiseTrace.stop()
    }
  }
}
