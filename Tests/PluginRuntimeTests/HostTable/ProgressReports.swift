import Promises
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("The host's table: progress")
struct ProgressReports {
  @Test(
    "reports reach the call whose promise they are for, those from before it returned first, none after it is settled")
  func order() async throws {
    let all = Recorder<ProgressReport>()
    let own = Recorder<ProgressReport>()
    let host = try Host.loading("progress", Host.Options(progress: { all.record($0) }))
    let call = host.call("begin", of: "test.progress", progress: { own.record($0) })
    func more(_ fraction: Double, _ message: String) async {
      _ = await host.outcome("more", of: "test.progress", [.value(.double(fraction)), .value(.string(message))])
    }
    await more(0.5, "after it returned")
    await more(-1, "unknown")
    await more(.nan, "no number")
    await more(7, "more than done")
    _ = await host.outcome("more_silently", of: "test.progress", [.value(.double(0.9))])
    _ = await host.outcome("finish", of: "test.progress")
    #expect(await call.outcome().value == .void)
    await more(1, "too late")
    #expect(
      own.events.map(\.message) == [
        "before it returns", "after it returned", "unknown", "no number", "more than done", nil,
      ])
    #expect(own.events.map(\.fraction) == [0.25, 0.5, nil, nil, 1, 0.9])
    #expect(all.events == own.events)
    #expect(Set(own.events.map(\.call)).count == 1)
    #expect(own.events.allSatisfy { $0.plugin == "test.progress" && $0.function == "begin" })
  }

  @Test("reports for a promise that a function returns fulfilled come before the call ends")
  func complete() async throws {
    let host = try Host.loading("progress")
    let messages = Recorder<String?>()
    let call = host.call("complete", of: "test.progress", progress: { messages.record($0.message) })
    #expect(call.value == .void && messages.events.first == "before it returns")
    #expect(host.registry["test.progress"]?.calls.pending.isEmpty == true)
  }

  @Test("a report for a promise that no running function can return is dropped")
  func dropped() async throws {
    let messages = Recorder<String?>()
    let host = try Host.loading("progress")
    #expect(await host.outcome("prepare", of: "test.progress").value == .void)
    let call = host.call("give", of: "test.progress", progress: { messages.record($0.message) })
    #expect(messages.events == ["before it returns"])
    _ = await host.outcome("finish", of: "test.progress")
    #expect(await call.outcome().value == .void)
  }

  @Test("a report is kept while its function runs, though another call ends meanwhile")
  func kept() async throws {
    let messages = Recorder<String?>()
    let host = try Host.loading("progress")
    let inner = Argument.callback { _ in
      _ = host.call("more_silently", of: "test.progress", [.value(.double(0.5))])
      return .void
    }
    let call = host.call("begin_around", of: "test.progress", [inner], progress: { messages.record($0.message) })
    #expect(messages.events == ["before the other call", nil])
    _ = await host.outcome("finish", of: "test.progress")
    #expect(await call.outcome().value == .void)
  }

  @Test("of many reports before a function returns the newest 64 are kept")
  func many() async throws {
    let fractions = Recorder<Double?>()
    let host = try Host.loading("progress")
    let call = host.call(
      "begin_with_many", of: "test.progress", [.value(.uint(100))], progress: { fractions.record($0.fraction) })
    #expect(fractions.events == (36..<100).map { Double($0) / 100 })
    _ = await host.outcome("finish", of: "test.progress")
    #expect(await call.outcome().value == .void)
  }

  @Test("of reports that come while another one is delivered 1,000 wait, the last of them included")
  func limited() {
    final class Reporting: Sendable {
      let fractions = Recorder<Double>()
      let isFirst = Mutex(true)
      // Written before the first report.
      nonisolated(unsafe) var report: @Sendable (Double) -> Void = { _ in }

      func receive(_ report: ProgressReport) {
        fractions.record(report.fraction ?? -1)
        guard
          isFirst.withLock({ isFirst in
            defer { isFirst = false }; return isFirst
          })
        else { return }
        for fraction in 1...2_000 { self.report(Double(fraction)) }
      }
    }
    final class Reports: Sendable {
      let queue: ProgressQueue

      init(_ receiver: @escaping ProgressQueue.Receiver) { queue = ProgressQueue(receiver, nil) }
    }
    let reporting = Reporting()
    let reports = Reports { reporting.receive($0) }
    reporting.report = { [unowned reports] fraction in
      reports.queue.append(ProgressReport(plugin: "p", function: "f", call: 1, fraction: fraction, message: nil))
      reports.queue.deliver()
    }
    reporting.report(0)
    #expect(reporting.fractions.events == (0..<1_000).map(Double.init) + [2_000])
  }

  @Test("the reports of two calls are not mixed up")
  func calls() async throws {
    let host = try Host.loading("progress")
    let (first, second) = (Recorder<ProgressReport>(), Recorder<ProgressReport>())
    let calls = [
      host.call("begin", of: "test.progress", progress: { first.record($0) }),
      host.call("begin", of: "test.progress", progress: { second.record($0) }),
    ]
    _ = await host.outcome("more", of: "test.progress", [.value(.double(1)), .value(.string("the second"))])
    #expect(first.events.map(\.message) == ["before it returns"])
    #expect(second.events.map(\.message) == ["before it returns", "the second"])
    #expect(first.events[0].call != second.events[0].call)
    _ = await host.outcome("finish", of: "test.progress")
    #expect(await calls[1].outcome().value == .void)
    calls[0].discard()
  }

  @Test("a receiver may call the plugin from within a report")
  func reentrancy() async throws {
    let host = try Host.loading("progress")
    let messages = Recorder<String?>()
    let call = host.call(
      "begin", of: "test.progress",
      progress: { report in
        messages.record(report.message)
        guard messages.count < 4 else { return }
        _ = host.call("more", of: "test.progress", [.value(.double(0.5)), .value(.string("nested \(messages.count)"))])
      })
    #expect(messages.events == ["before it returns", "nested 1", "nested 2", "nested 3"])
    _ = await host.outcome("finish", of: "test.progress")
    #expect(await call.outcome().value == .void)
  }
}
