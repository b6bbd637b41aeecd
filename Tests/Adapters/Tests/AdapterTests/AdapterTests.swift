import CoreMetrics
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Promises
import PromisesDiagnostics
import PromisesLogging
import PromisesMetrics
import PromisesTracing
import Synchronization
import Testing
import Tracing

private struct Refused: Error {}

/// Serialized, together with the tests of OpenCombine, because reports and events concern the whole process.
@Suite("Adapters", .serialized)
struct AdapterTests {
  @Test("a report of misuse is a log message with the number, the name and the place of the promise")
  func logging() throws {
    let handler = InMemoryLogHandler()
    PromiseDiagnostics.start(logger: Logger(label: "test") { _ in handler }, level: .error)
    defer { PromiseDiagnostics.stop() }
    var promise: Promise<Int>? = Promise<Int>().named("download")
    let id = try #require(promise?.id)
    promise?.reject("offline")
    promise = nil
    try #require(handler.entries.count == 1)
    let entry = handler.entries[0]
    #expect(entry.level == .error)
    #expect(entry.message.description.hasSuffix("rejected, and nothing handled it: offline"))
    #expect(entry.metadata["promise.id"] == "0x\(String(id, radix: 16))")
    #expect(entry.metadata["promise.name"] == "download")
    #expect(entry.metadata["promise.place"]?.description.hasPrefix("AdapterTests/AdapterTests.swift:") == true)
  }

  @Test("the frames that a logger asks for are those that are remembered")
  func loggingWithoutPlaces() throws {
    let handler = InMemoryLogHandler()
    PromiseDiagnostics.start(logger: Logger(label: "test") { _ in handler }, frames: 0)
    defer { PromiseDiagnostics.stop() }
    var promise: Promise<Int>? = Promise<Int>()
    promise?.reject("offline")
    promise = nil
    try #require(handler.entries.count == 1)
    #expect(handler.entries[0].level == .warning)
    #expect(handler.entries[0].metadata["promise.place"] == nil && handler.entries[0].metadata["promise.name"] == nil)
  }

  @Test("promises are counted by their ends, and timed, until the metrics are stopped")
  func metrics() throws {
    let test = TestMetrics()
    let before = Promise<Int>()
    let metrics = PromiseMetrics(prefix: "p", factory: test)
    let pending = Promise<Int>()
    let fulfilled = Promise<Int>()
    fulfilled.resolve(1)
    let rejected = fulfilled.then { _ in throw Refused() } as Promise<Int>
    _ = Promise<Int>()
    before.resolve(1)
    metrics.stop()
    let late = Promise<Int>()
    late.resolve(1)
    rejected.rescue { (_: Refused) in 0 }.then({ _ in }, nil)
    #expect(try test.expectCounter("p.created").totalValue == 4)
    // One of the two was created before the metrics were started.
    #expect(try test.expectCounter("p.fulfilled").totalValue == 2)
    #expect(try test.expectCounter("p.rejected").totalValue == 1)
    #expect(try test.expectCounter("p.dropped").totalValue == 1)
    #expect(try test.expectMeter("p.pending").lastValue == 1)
    let times = try test.expectTimer("p.lifetime").values
    #expect(times.count == 2 && times.allSatisfy { $0 >= 0 })
    pending.resolve(1)
  }

  @Test("the lifetime of a promise is the time from its creation to its settlement")
  func lifetimes() throws {
    let test = TestMetrics()
    let metrics = PromiseMetrics(factory: test)
    let events = Mutex<[PromiseTrace.Event]>([])
    let observer = PromiseEvents.observe { event in events.withLock { $0.append(event) } }
    let promise = Promise<Int>()
    promise.resolve(1)
    observer.stop()
    metrics.stop()
    let times = events.withLock { $0 }.filter { $0.id == promise.id }.map(\.time)
    try #require(times.count == 2)
    #expect(try test.expectTimer("promises.lifetime").values == [times[1] - times[0]])
  }

  @Test("a span ends when the future is settled, and has its error")
  func tracing() throws {
    let tracer = InMemoryTracer()
    let (future, resolver) = Future<Int, Refused>.makeWithResolver()
    let traced = future.traced("load", ofKind: .client, tracer: tracer).map { [tracer] value in
      #expect(tracer.finishedSpans.count == 1)
      return value + 1
    }
    #expect(tracer.activeSpans.count == 1)
    resolver.fulfill(1)
    #expect(traced.value == 2)
    let span = try #require(tracer.finishedSpans.first)
    #expect(span.operationName == "load" && span.kind == .client && span.errors.isEmpty && span.status == nil)

    let failing = Future<Int, Refused>(rejected: Refused()).traced("fail", tracer: tracer)
    #expect(failing.error != nil)
    #expect(tracer.finishedSpans[1].errors.first?.error is Refused && tracer.finishedSpans[1].status?.code == .error)
    let text = Future<Int, String>(rejected: "no").traced("text", tracer: tracer)
    #expect(text.error == "no" && tracer.finishedSpans[2].status?.message == "no")
    let cancelled = Future<Int, Refused>(cancelled: nil).traced("cancel", tracer: tracer)
    #expect(cancelled.state == .cancelled && tracer.finishedSpans[3].status == nil)
    #expect(tracer.finishedSpans[3].attributes.get("promise.cancelled") == .bool(true))
    #expect(tracer.finishedSpans[3].errors.isEmpty && tracer.finishedSpans[1].attributes.isEmpty)
    let stopped = Future<Int, String>(cancelled: Refused()).traced("stop", tracer: tracer)
    #expect(stopped.state == .cancelled && tracer.finishedSpans[4].status == nil)
    #expect(tracer.finishedSpans[4].errors.first?.error is Refused && tracer.finishedSpans.count == 5)
  }

  @Test("an error of a type that is not an Error is recorded as its text; a span is internal by default")
  func textErrors() throws {
    let tracer = InMemoryTracer()
    let text = Future<Int, String>(rejected: "no").traced("text", tracer: tracer)
    let within = withFutureSpan("within", tracer: tracer) { _ in text }
    #expect(within.error == "no")
    #expect(tracer.finishedSpans.map(\.kind) == [.internal, .internal])
    for span in tracer.finishedSpans {
      #expect(span.errors.map { "\($0.error)" } == ["no"])
      #expect(span.status?.code == .error && span.status?.message == "no")
    }
    #expect(throws: Refused.self) {
      _ = try withFutureSpan("thrown", tracer: tracer) { _ in throw Refused() } as Future<Int, Never>
    }
    #expect(tracer.finishedSpans.last?.status?.code == .error)
  }

  @Test("a span has the place of the call that starts it")
  func places() throws {
    let tracer = Placing()
    let future = Future<Int, Refused>(fulfilled: 1)
    let line = #line + 1
    let traced = future.traced("traced", tracer: tracer)
    let within = withFutureSpan("within", tracer: tracer) { _ in future }
    #expect(traced.value == 1 && within.value == 1)
    let places = tracer.places.withLock { $0 }
    #expect(places == [line, line + 1].map { "places() AdapterTests/AdapterTests.swift:\($0)" })
  }

  /// Notes where spans are started.
  private final class Placing: Tracer {
    let places = Mutex<[String]>([])
    private let inner = InMemoryTracer()

    func startSpan<Instant: TracerInstant>(
      _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
      at instant: @autoclosure () -> Instant, function: String, file: String, line: UInt
    ) -> InMemorySpan {
      places.withLock { $0.append("\(function) \(file):\(line)") }
      return inner.startSpan(
        operationName, context: context(), ofKind: kind, at: instant(), function: function, file: file, line: line)
    }

    func forceFlush() {}
    func extract<Carrier, Extract: Extractor>(
      _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}
    func inject<Carrier, Inject: Injector>(
      _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}
  }

  @Test("metrics that are released stop to count, with the labels of their prefix")
  func releasedMetrics() throws {
    let test = TestMetrics()
    var metrics: PromiseMetrics? = PromiseMetrics(factory: test)
    let promises = (0..<2).map { _ in Promise<Int>() }
    promises[0].discard()
    metrics = nil
    promises[1].resolve(1)
    _ = Promise<Int>()
    #expect(metrics == nil)
    #expect(try test.expectCounter("promises.created").totalValue == 2)
    #expect(try test.expectCounter("promises.rejected").totalValue == 1)
    #expect(try test.expectCounter("promises.fulfilled").totalValue == 0)
    #expect(try test.expectCounter("promises.dropped").totalValue == 0)
    #expect(try test.expectMeter("promises.pending").lastValue == 1)
  }

  @Test("spans started in the body of a span are its children; an error thrown by the body ends it")
  func nested() throws {
    let tracer = InMemoryTracer()
    let (inner, resolver) = Future<Int, Refused>.makeWithResolver()
    let outer = withFutureSpan("outer", tracer: tracer) { _ in inner.traced("inner", tracer: tracer) }
    #expect(tracer.finishedSpans.isEmpty)
    resolver.fulfill(1)
    #expect(outer.value == 1)
    #expect(tracer.finishedSpans.map(\.operationName) == ["inner", "outer"])
    #expect(tracer.finishedSpans[0].parentSpanID == tracer.finishedSpans[1].spanID)
    #expect(throws: Refused.self) {
      _ = try withFutureSpan("thrown", tracer: tracer) { _ in throw Refused() } as Future<Int, Never>
    }
    #expect(tracer.finishedSpans.last?.operationName == "thrown")
    #expect(tracer.finishedSpans.last?.errors.first?.error is Refused)
  }

  @Test("a span has the parent that it is given, else the current one, and its kind")
  func parents() throws {
    let tracer = InMemoryTracer()
    let (future, resolver) = Future<Int, Refused>.makeWithResolver()
    var given: InstrumentationContext?
    let root = withFutureSpan("root", ofKind: .server, tracer: tracer) { span in
      given = span.context
      return withFutureSpan("current", tracer: tracer) { _ in future }
    }
    let traced = future.traced("traced", context: given, tracer: tracer)
    let within = withFutureSpan("within", ofKind: .producer, context: given, tracer: tracer) { _ in future }
    let alone = future.traced("alone", tracer: tracer)
    resolver.fulfill(1)
    #expect([root, traced, within, alone].map(\.value) == [1, 1, 1, 1])
    try #require(tracer.finishedSpans.count == 5)
    let spans = Dictionary(grouping: tracer.finishedSpans, by: \.operationName)
    let rootSpan = try #require(spans["root"]?.first)
    #expect(rootSpan.kind == .server && spans["within"]?.first?.kind == .producer)
    for name in ["current", "traced", "within"] {
      #expect(spans[name]?.first?.parentSpanID == rootSpan.spanID, "\(name)")
    }
    #expect(rootSpan.parentSpanID == nil && spans["alone"]?.map(\.parentSpanID) == [nil])
  }
}
