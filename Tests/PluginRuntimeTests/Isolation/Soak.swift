import Foundation
import Glibc
import PluginRuntime
import Promises
import Testing

@Suite("Isolation: soak", .serialized)
struct Soak {
  /// The number of calls: `make soak` sets it, and has the process for itself.
  static let number = ProcessInfo.processInfo.environment["SOAK_CALLS"].flatMap(Int.init)

  @Test("calls with kills, cancellations and reloads lose no promise, and memory and descriptors stay flat")
  func flat() async throws {
    let (number, batch) = (Self.number ?? 3_000, 100)
    var counts = Counts()
    var plugin = try IsolatedPlugin.loading("dying")
    var base: Usage?
    for start in stride(from: 0, to: number, by: batch) {
      try await run(batch, from: start, on: plugin, &counts)
      // Loads the plugin anew in a new process, which is not its next generation.
      if start % (batch * 100) == batch * 99 || start + 2 * batch == number {
        plugin.unload()
        plugin = try IsolatedPlugin.loading("dying")
        counts.starts += 1
      }
      // The first tenth fills caches and pools.
      if start >= number / 10, base == nil { base = .now }
      if Self.number != nil, start % (batch * 500) == 0 { print("soak: \(start) calls, \(counts), \(Usage.now)") }
    }
    plugin.unload()
    let (before, after) = (try #require(base), Usage.now)
    print("soak: \(number) calls, \(counts), \(after); after a tenth of them \(before)")
    #expect(counts.fulfilled + counts.killed + counts.discarded == number / batch * batch, "\(counts)")
    #expect(counts.kills > 0 && counts.discarded > 0 && counts.reloads > 0 && counts.starts > 0)
    // Other tests of the process have memory and descriptors, too.
    guard Self.number != nil else { return }
    #expect(after.descriptors <= before.descriptors)
    #expect(after.processes <= before.processes)
    #expect(after.sharedMemories <= before.sharedMemories)
    // Threads of pools end when they have had no work for a while.
    try await waiting(for: { Usage.now.threads <= before.threads })
    #expect(after.kilobytes <= before.kilobytes * 11 / 10 + 8_192)
  }

  /// Makes calls side by side. A part is discarded. The worker is killed during every fifth batch, and the plugin is
  /// reloaded during another fifth.
  private func run(_ count: Int, from start: Int, on plugin: IsolatedPlugin, _ counts: inout Counts) async throws {
    var worker: pid_t?
    if start / count % 5 == 2, case .int(let process)? = try await plugin.outcome("process").value {
      worker = pid_t(process)
    }
    // All other calls may have been answered before the worker is killed.
    let last = worker.map { _ in plugin.call("never", [], timeout: nil) }
    let calls = (start..<start + count).map { index -> (Int, Bool, Promise<PluginValue>) in
      let isDiscarded = index % 20 == 7
      let function = index % 10 == 3 || isDiscarded ? "later" : "echo"
      let arguments = [Argument.value(.int(Int64(index)))] + (function == "later" ? [.value(.uint(1))] : [])
      return (index, isDiscarded, plugin.call(function, arguments, timeout: nil))
    }
    for (_, isDiscarded, promise) in calls where isDiscarded { promise.discard() }
    if start / count % 5 == 4 {
      try plugin.reload(deadline: .seconds(60))
      counts.reloads += 1
    }
    if let worker {
      kill(worker, SIGKILL)
      counts.kills += 1
    }
    if let last { #expect(try await last.outcomeInTime().workerEnd?.cause == .killed(signal: SIGKILL)) }
    for (index, isDiscarded, promise) in calls {
      let outcome = try await promise.outcomeInTime()
      if outcome.value == .int(Int64(index)) {
        counts.fulfilled += 1
      } else if outcome.workerEnd != nil {
        counts.killed += 1
      } else if isDiscarded, outcome.reason is Discarded {
        counts.discarded += 1
      } else {
        Issue.record("call \(index): \(outcome)")
      }
    }
  }

  private struct Counts {
    var fulfilled = 0
    var killed = 0
    var discarded = 0
    var kills = 0
    var reloads = 0
    var starts = 0
  }

  private struct Usage: CustomStringConvertible {
    let kilobytes: Int
    let descriptors: Int
    let threads: Int
    let processes: Int
    let sharedMemories: Int

    static var now: Usage {
      let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      let children = threads.reduce(0) { sum, thread in
        let list = try? String(contentsOfFile: "/proc/self/task/\(thread)/children", encoding: .utf8)
        return sum + (list?.split(separator: " ").count ?? 0)
      }
      let maps = ((try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? "").split(separator: "\n")
      return Usage(
        kilobytes: (pages.flatMap { Int($0[1]) } ?? 0) * sysconf(Int32(_SC_PAGESIZE)) / 1024,
        descriptors: Fixture.descriptors, threads: threads.count, processes: children,
        sharedMemories: maps.filter { $0.contains("/memfd:") || $0.contains("/dev/shm/") }.count)
    }

    var description: String {
      "\(kilobytes) KiB resident, \(descriptors) descriptors, \(threads) threads, \(processes) processes, "
        + "\(sharedMemories) shared memories"
    }
  }
}
