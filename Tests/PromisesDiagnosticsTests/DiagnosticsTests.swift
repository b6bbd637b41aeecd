import Promises
import PromisesDiagnostics
import PromisesTestSupport
import Testing

/// Runs each test in a process of its own: diagnostics apply to the whole process, and record the promises of all tests
/// that run at the same time.
@Suite("Diagnostics")
struct DiagnosticsTests {
  @Test("a rejection that nothing handled is reported with the name and the place of the promise")
  func named() async {
    await #expect(processExitsWith: .success) { try Bodies.named() }
  }

  @Test("without a name, the place is the call in the program's own code that created the promise")
  func place() async {
    await #expect(processExitsWith: .success) { for kind in 0..<4 { try Bodies.place(kind: kind) } }
  }

  @Test("second settlements and promises dropped while pending are reported too")
  func others() async {
    await #expect(processExitsWith: .success) { try Bodies.others() }
  }

  @Test("without places, names alone are known; off, nothing is")
  func withoutPlaces() async {
    await #expect(processExitsWith: .success) { Bodies.withoutPlaces() }
  }

  @Test("a promise has no name of one that was destroyed")
  func reused() async {
    await #expect(processExitsWith: .success) { try Bodies.reused() }
  }

  @Test("a dump has the names and the places")
  func pending() async {
    await #expect(processExitsWith: .success) { try Bodies.pending() }
  }

  @Test("events are reported to each observer until it stops")
  func events() async {
    await #expect(processExitsWith: .success) { Bodies.events() }
  }

  @Test("an observer may be added where the trace of other code, which it replaces, is released")
  func replacingATrace() async {
    await #expect(processExitsWith: .success) { Bodies.replacingATrace() }
  }

  @Test("an observer gets events although another one stops while a trace is replaced")
  func stoppingDuringReplacement() async {
    await #expect(processExitsWith: .success) { Bodies.stoppingDuringReplacement() }
  }

  @Test("stopping diagnostics that are off leaves the hooks of the program")
  func stoppedWhileOff() async {
    await #expect(processExitsWith: .success) {
      let seconds = Recorder<UInt64>()
      PromiseHooks.install(PromiseHooks(secondSettlement: { id, _, _ in seconds.record(id) }))
      PromiseDiagnostics.stop()
      let promise = Promise<Int>()
      promise.resolve(1)
      promise.resolve(2)
      #expect(seconds.events == [promise.id])
    }
  }

  @Test("diagnostics that are started while others are stopped can be stopped")
  func startedDuringStop() async {
    await #expect(processExitsWith: .success) { Bodies.startedDuringStop() }
  }
}

/// The bodies of the tests.
private enum Bodies {
  /// Returns the reports, while `body` runs, about the promise whose id `body` returns.
  private static func reports(frames: Int = 32, _ body: () -> UInt64) -> [PromiseReport] {
    let reports = Recorder<PromiseReport>()
    PromiseDiagnostics.start(frames: frames) { reports.record($0) }
    defer { PromiseDiagnostics.stop() }
    let id = body()
    return reports.events.filter { $0.id == id }
  }

  static func named() throws {
    let line = #line + 2
    let reports = reports {
      let promise = Promise<Int>().named("download")
      promise.reject("no network")
      return promise.id
    }
    let report = try #require(reports.first)
    #expect(report.kind == .unhandledRejection(reason: "no network"))
    #expect(report.origin?.name == "download")
    let place = "PromisesDiagnosticsTests/DiagnosticsTests.swift:\(line)"
    #expect(
      "\(report)" == "promise 0x\(String(report.id, radix: 16)) \"download\" created at \(place): "
        + "rejected, and nothing handled it: no network")
  }

  static func place(kind: Int) throws {
    var line = 0
    let reports = reports {
      switch kind {
      case 0:
        line = #line + 1
        let promise = Promise<Int>()
        promise.reject(1)
        return promise.id
      case 1:
        let source = Promise<Int>()
        line = #line + 1
        let derived = source.then { _ in throw TestError(3) } as Promise<Int>
        source.resolve(1)
        return derived.id
      case 2:
        line = #line + 1
        let (future, resolver) = Future<Int, TestError>.makeWithResolver()
        resolver.reject(TestError(3))
        return future.id
      default:
        let source = Future<Int, TestError>(rejected: TestError(3))
        line = #line + 1
        let mapped = source.map { $0 + 1 }
        return mapped.id
      }
    }
    let report = try #require(reports.first)
    let place = try #require(report.origin?.place)
    #expect(place.file.hasSuffix("Tests/PromisesDiagnosticsTests/DiagnosticsTests.swift"))
    #expect(place.line == line, "\(place)")
    let function = try #require(place.function)
    #expect(!function.isEmpty && "\(place)" == "\(place.file):\(line) in \(function)")
    #expect("\(report)".contains("created at \(place.file):\(line)"))
    #expect("\(report.resolved)" == "\(report)" && report.resolved.origin?.place == place)
  }

  static func others() throws {
    let seconds = reports {
      let promise = Promise<Int>().named("twice")
      promise.resolve(1)
      promise.resolve(2)
      return promise.id
    }
    let second = try #require(seconds.first)
    #expect(second.kind == .secondSettlement(.fulfilled, value: "2"))
    #expect("\(second)".hasSuffix(": settled again, fulfilled, with 2"))
    let unobserved = try #require(reports { Promise<Int>().named("unobserved").id }.first)
    #expect("\(unobserved)".hasSuffix("destroyed while pending, with 0 callbacks"))
    var line = 0
    let ofFuture = reports {
      let (future, resolver) = Future<Int, TestError>.makeWithResolver()
      line = #line + 1
      future.named("future")
      resolver.fulfill(1)
      resolver.reject(TestError(2))
      return future.id
    }
    #expect(ofFuture.map(\.origin?.name) == ["future"] && ofFuture.first?.origin?.place?.line == line)
    let droppeds = reports {
      let promise = Promise<Int>().named("lost")
      promise.future.whenResolved { _ in }
      return promise.id
    }
    let dropped = try #require(droppeds.first)
    #expect(dropped.kind == .droppedPending(callbacks: 1))
    #expect("\(dropped)".contains("\"lost\"") && "\(dropped)".hasSuffix("destroyed while pending, with 1 callback"))
  }

  static func withoutPlaces() {
    let reports = reports(frames: 0) {
      let promise = Promise<Int>()
      promise.reject(1)
      return promise.id
    }
    #expect(reports.count == 1 && reports.first?.origin == nil)
    let promise = Promise<Int>().named("unknown")
    #expect(PromiseDiagnostics.origin(of: promise.id) == nil)
    PromiseDiagnostics.start { _ in }
    let known = Promise<Int>().named("known")
    #expect(PromiseDiagnostics.origin(of: known.id)?.name == "known")
    #expect(PromiseDiagnostics.origin(of: promise.id) == nil)
    PromiseDiagnostics.stop()
    #expect(PromiseDiagnostics.origin(of: known.id) == nil)
    let stopped = Recorder<PromiseReport>()
    PromiseDiagnostics.start { stopped.record($0) }
    PromiseDiagnostics.stop()
    let silent = Promise<Int>()
    silent.resolve(1)
    silent.resolve(2)
    #expect(stopped.count == 0)
    promise.resolve(1)
    known.resolve(1)
  }

  static func reused() throws {
    func cell(_ id: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: id) }
    PromiseDiagnostics.start(frames: 0) { _ in }
    defer { PromiseDiagnostics.stop() }
    func named() -> UInt64 {
      let promise = Promise<Int>().named("old")
      promise.resolve(1)
      return promise.id
    }
    let id = named()
    #expect(PromiseDiagnostics.origin(of: id)?.name == "old")
    // Keep the promises, so that each has a cell of its own.
    var kept: [Promise<Int>] = []
    while kept.count < 10_000 && kept.last.map({ cell($0.id) == cell(id) }) != true {
      kept.append(Promise<Int>.resolve(1))
    }
    let last = try #require(kept.last)
    #expect(cell(last.id) == cell(id) && last.id != id)
    #expect(PromiseDiagnostics.origin(of: last.id) == nil)
  }

  static func pending() throws {
    PromiseDiagnostics.start { _ in }
    defer { PromiseDiagnostics.stop() }
    let promise = Promise<Int>().named("waiting")
    let line = try #require(PromiseDiagnostics.pending().first { $0.contains("\"waiting\"") })
    #expect(line.hasPrefix("0x\(String(promise.id, radix: 16)) \"waiting\" created at PromisesDiagnosticsTests/"))
    #expect(line.contains(" pending"))
    promise.resolve(1)
  }

  static func events() {
    let (first, second) = (Recorder<PromiseTrace.Event>(), Recorder<PromiseTrace.Event>())
    let one = PromiseEvents.observe { first.record($0) }
    var other: PromiseEvents.Observer? = PromiseEvents.observe { second.record($0) }
    let promise = Promise<Int>()
    let derived = promise.then { $0 + 1 }
    one.stop()
    promise.resolve(1)
    withExtendedLifetime(other) {}
    other = nil
    let late = Promise<Int>()
    late.resolve(1)
    func kinds(_ events: Recorder<PromiseTrace.Event>, _ id: UInt64) -> [PromiseTrace.Event.Kind] {
      events.events.filter { $0.id == id }.map(\.kind)
    }
    #expect(kinds(first, promise.id) == [.created])
    #expect(kinds(second, promise.id) == [.created, .settled(.fulfilled)])
    #expect(kinds(second, derived.id).first == .created && kinds(second, derived.id).contains(.settled(.fulfilled)))
    #expect(second.events.first { $0.id == derived.id }?.parent == promise.id)
    #expect(kinds(second, late.id) == [])
  }

  static func replacingATrace() {
    let events = Recorder<PromiseTrace.Event>()
    let inner = Monitor<PromiseEvents.Observer?>(nil)
    PromiseTrace.start(
      onEvent: keeping(LastWord { inner.withLock { $0 = PromiseEvents.observe { events.record($0) } } }))
    let outer = PromiseEvents.observe { events.record($0) }
    let promise = Promise<Int>()
    #expect(events.events.filter { $0.id == promise.id }.map(\.kind) == [.created, .created])
    inner.withLock { $0 }?.stop()
    outer.stop()
  }

  static func stoppingDuringReplacement() {
    let events = Recorder<PromiseTrace.Event>()
    PromiseTrace.start(onEvent: keeping(LastWord { PromiseEvents.observe { _ in }.stop() }))
    let observer = PromiseEvents.observe { events.record($0) }
    let promise = Promise<Int>()
    #expect(events.events.filter { $0.id == promise.id }.map(\.kind) == [.created])
    observer.stop()
  }

  static func startedDuringStop() {
    let reported = Recorder<UInt64>()
    let last = LastWord { PromiseDiagnostics.start(frames: 0) { reported.record($0.id) } }
    func begin(_ last: LastWord) { PromiseDiagnostics.start(frames: 0) { _ in last.touch() } }
    begin(consume last)
    // Releases the report, which starts others.
    PromiseDiagnostics.stop()
    func misuse() {
      let promise = Promise<Int>()
      promise.resolve(1)
      promise.resolve(2)
    }
    misuse()
    #expect(reported.count == 1)
    PromiseDiagnostics.stop()
    misuse()
    #expect(reported.count == 1)
  }

  /// Returns a function for a trace that holds `last` until it is released.
  private static func keeping(_ last: LastWord) -> @Sendable (PromiseTrace.Event) -> Void { { _ in last.touch() } }
}
