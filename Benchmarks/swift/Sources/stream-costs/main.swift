// `stream-costs [--long]`: the time of an event through ten operators, against OpenCombine and swift-async-algorithms.
import CReport
import Glibc
import Timing

let arguments = CommandLine.arguments.dropFirst()
guard arguments.isEmpty || arguments == ["--long"] else {
  print("usage: stream-costs [--long]")
  exit(64)
}
let stopwatch = Stopwatch(rounds: arguments.isEmpty ? 30 : 300)
let budget = 0.5
let events = 1000

guard Ours.run(events) == Combined.run(events), Ours.run(events) == Channel.run(events) else {
  fatalError("the contestants do different work")
}

/// Returns nanoseconds of the wall clock, because a channel needs two tasks.
func passed(_ times: Int, _ work: () -> Void) -> Double {
  let start = statistics_passed()
  for _ in 0..<times { work() }
  return statistics_passed() - start
}

report_heading("a stream's event through ten operators", "ns")
let combined = stopwatch.race(
  items: events,
  [{ Stopwatch.time($0) { _ = Ours.run(events) } }, { Stopwatch.time($0) { _ = Combined.run(events) } }])
report("OpenCombine, map, filter and compactMap", against: combined[1], ours: combined[0], budget: budget)
let channelled = stopwatch.race(
  items: events, [{ passed($0) { _ = Ours.run(events) } }, { passed($0) { _ = Channel.run(events) } }])
report("swift-async-algorithms, AsyncChannel", against: channelled[1], ours: channelled[0], budget: budget)

// A stream that kept a byte of each event would show here.
report_heading("memory of a stream", "MiB")
let few = Ours.memory(events)
let many = Ours.memory(1_000_000)
report_at_most(
  "resident after 1,000,000 events, of that after 1,000", few / 0x10_0000, many / 0x10_0000, many / few, 1.05)
exit(report_failed() ? 1 : 0)
