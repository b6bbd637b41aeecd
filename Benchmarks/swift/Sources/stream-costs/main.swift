// `stream-costs [--long]`: the time of an event of a stream, against OpenCombine and swift-async-algorithms.
import CReport
import Glibc
import Timing

let arguments = CommandLine.arguments.dropFirst()
guard arguments.isEmpty || arguments == ["--long"] else {
  print("usage: stream-costs [--long]")
  exit(64)
}
let budget = 0.5
let events = 1_000_000
// A run takes up to seconds.
let stopwatch = Stopwatch(rounds: arguments.isEmpty ? 3 : 30, trials: 1)

// First, while no other work has left memory that could be reused.
let memory = Memory.used(after: events / 10, and: events)

guard Ours.run(1000) == Combined.run(1000), Ours.run(1000) == Channel.run(1000), Ours.run(1000) == Ours.values(1000),
  Ours.zipped(1000) == Combined.zipped(1000), Ours.joined(1000) == Channel.joined(1000)
else {
  fatalError("the contestants do different work")
}

/// Compares two runs of 1,000,000 events. By the wall clock if one of them needs several tasks.
func race(_ row: String, _ ours: (Int) -> Int, against theirs: (Int) -> Int, inTasks: Bool) {
  let time = inTasks ? Stopwatch.wallTime : Stopwatch.time
  let times = withoutActuallyEscaping(ours) { ours in
    withoutActuallyEscaping(theirs) { theirs in
      stopwatch.race(items: events, [{ time($0) { _ = ours(events) } }, { time($0) { _ = theirs(events) } }])
    }
  }
  report(row, against: times[1], ours: times[0], budget: budget)
}

report_heading("an event of 1,000,000 through ten operators", "ns")
race("OpenCombine, map, filter and compactMap", Ours.run, against: Combined.run, inTasks: false)
race("AsyncChannel, map, filter and compactMap", Ours.run, against: Channel.run, inTasks: true)
race("AsyncChannel, against ours as an asynchronous sequence", Ours.values, against: Channel.run, inTasks: true)

report_heading("an event through operators that are not fused", "ns")
race("OpenCombine, distinct, scan, buffer, zip", Ours.zipped, against: Combined.zipped, inTasks: false)
race("swift-async-algorithms, and merge", Ours.joined, against: Channel.joined, inTasks: true)

// A byte for each event would be 1.
report_heading("memory of a stream after 100,000 and 1,000,000 events", "KiB")

/// Reports the growth for each event, in bytes, in the place of the ratio.
func report(_ row: String, _ few: Double, _ many: Double) {
  report_at_most(row, few / 1024, many / 1024, (many - few) / Double(events - events / 10), 0.1)
}
report("allocated, growth in bytes an event", memory.few.allocated, memory.many.allocated)
report("resident, growth in bytes an event", memory.few.resident, memory.many.resident)
exit(report_failed() ? 1 : 0)
