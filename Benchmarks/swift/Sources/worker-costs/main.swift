// `worker-costs CALLEE.so CHAIN.so PLUGIN_HOST [--long]`: calls into worker processes, against bare round trips between
// two processes, memcpy and posix_spawn; and the start of plugin-host. `--calls COUNT` or `--chains COUNT` makes that
// many calls, or chains of ten calls, and nothing else, for a profiler.
import CBareWorker
import CReport
import Glibc
import PluginRuntime
import Timing

bare_worker_main(CommandLine.argc, CommandLine.unsafeArgv)
if CommandLine.arguments.dropFirst().first == WorkerProgram.workerArgument { PluginWorker.run() }

let arguments = Array(CommandLine.arguments.dropFirst())
let options = Array(arguments.dropFirst(3))
let count = ["--calls", "--chains"].contains(options.first) && options.count == 2 ? Int(options[1]) : nil
guard arguments.count >= 3, options.isEmpty || options == ["--long"] || count != nil else {
  print("usage: worker-costs CALLEE.so CHAIN.so PLUGIN_HOST [--long | --calls COUNT | --chains COUNT]")
  exit(64)
}
let (library, host) = (arguments[0], arguments[2])
do {
  let worker = try Worker(library)
  let chain = try Worker(arguments[1])
  if let count {
    for _ in 0..<count { if options[0] == "--calls" { worker.add() } else { _ = chain.result(of: 10) } }
    worker.end()
    chain.end()
    exit(0)
  }
  guard worker.isRight(), chain.isChained(10) else {
    print("benchmark: the plugin's functions give something else in a worker than in this process")
    exit(2)
  }
  let isStarted = bare_worker_start(BARE_DIRECT_TRIP) && bare_worker_start(BARE_THREADED_TRIP)
  guard isStarted, bare_worker_spawn("/bin/true", nil), bare_worker_spawn(host, "--version") else {
    print("benchmark: a process cannot be started")
    exit(2)
  }
  var stopwatch = Stopwatch(rounds: options.isEmpty ? 100 : 1000)
  stopwatch.slice = 2e6
  report_heading("Calls into a worker process", "ns")
  let trips = stopwatch.race(
    items: 1,
    [
      { Stopwatch.wallTime($0) { worker.add() } },
      { count in Stopwatch.wallTime(1) { bare_worker_trips(BARE_THREADED_TRIP, count) } },
      { count in Stopwatch.wallTime(1) { bare_worker_trips(BARE_DIRECT_TRIP, count) } },
    ])
  report("int(int, int), against a round trip with 3 wake-ups", against: trips[1], ours: trips[0], budget: 1.5)
  report("int(int, int), against a round trip with 2 wake-ups", against: trips[2], ours: trips[0])
  let chains = stopwatch.race(
    items: 1,
    [
      { Stopwatch.wallTime($0) { _ = chain.result(of: 1) } }, { Stopwatch.wallTime($0) { _ = chain.result(of: 10) } },
    ])
  report(
    "ten calls, each with the result of the one before, against one", against: chains[0], ours: chains[1], budget: 1.5)
  let bareChains = stopwatch.race(
    items: 1,
    [
      { count in Stopwatch.wallTime(1) { bare_worker_trips(BARE_THREADED_TRIP, count) } },
      { count in Stopwatch.wallTime(1) { bare_worker_chains(true, count) } },
      { count in Stopwatch.wallTime(1) { bare_worker_chains(false, count) } },
    ])
  report("ten bare messages, sent as one and nine, against one", against: bareChains[0], ours: bareChains[1])
  report("ten bare messages, sent one by one, against one", against: bareChains[0], ours: bareChains[2])

  report_heading("Bytes into a worker process, against memcpy", "ns")
  for size in [1 << 10, 1 << 14, 1 << 16, 1 << 20, 1 << 23, 1 << 26] {
    // Fewer rounds for large blocks, which take long.
    let watch = Stopwatch(rounds: min(stopwatch.rounds, max(10, (1 << 28) / size)))
    let block = Block(size)
    let times = watch.race(
      items: 1,
      [
        { Stopwatch.wallTime($0) { worker.take(block.bytes) } },
        { Stopwatch.wallTime($0) { worker.take(block.shared) } },
        { Stopwatch.wallTime($0) { block.copy() } },
      ])
    report("\(size >> 10) KiB", against: times[2], ours: times[0])
    report("\(size >> 10) KiB that are shared memory already", against: times[2], ours: times[1])
  }

  report_heading("The start and the end of a process", "ns")
  let starts = Stopwatch(rounds: 30).race(
    items: 1,
    [
      { Stopwatch.wallTime($0) { Worker.startAndEnd(library) } },
      { Stopwatch.wallTime($0) { _ = bare_worker_spawn("/bin/true", nil) } },
      { Stopwatch.wallTime($0) { _ = bare_worker_spawn(host, "--version") } },
    ])
  report("with a plugin, against posix_spawn of /bin/true", against: starts[1], ours: starts[0])
  report("plugin-host --version, against posix_spawn of /bin/true", against: starts[1], ours: starts[2], budget: 3)
  worker.end()
  chain.end()
} catch {
  print("benchmark: \(error)")
  exit(2)
}
exit(report_failed() ? 1 : 0)
