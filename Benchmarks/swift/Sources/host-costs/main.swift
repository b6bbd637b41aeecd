// `host-costs CALLEE.so [--long] [--peer NAME FILE]...`: calls through signatures that were read at run time, against
// prepared bare calls. A peer's file has the output of a script of Benchmarks/peers; it is empty if the peer is not
// installed.
import CReport
import Glibc
import PluginRuntime
import Timing

guard let options = Options(CommandLine.arguments.dropFirst()) else {
  print("usage: host-costs CALLEE.so [--long] [--peer NAME FILE]...")
  exit(64)
}
do {
  let callee = try Callee(options.library)
  guard callee.isRight() else {
    print("benchmark: the plugin's functions give something else than the same called by hand")
    exit(2)
  }
  let stopwatch = Stopwatch(rounds: options.isLong ? 3000 : 300)
  report_heading("A plugin's functions through their signatures, binary arguments in, value out", "ns")
  var medians: [(call: Call, ours: Double)] = []
  for call in Call.allCases {
    let times = stopwatch.race(
      items: 1000,
      [
        { Stopwatch.time($0) { _ = callee.calls(call, 1000) } },
        { Stopwatch.time($0) { _ = call.bare(1000, isDirect: false) } },
        { Stopwatch.time($0) { _ = call.bare(1000, isDirect: true) } },
      ])
    let row = "\(call.title), against a bare ffi_call"
    if let budget = call.budget {
      report(row, against: times[1], ours: times[0], budget: budget)
    } else {
      report(row, against: times[1], ours: times[0])
    }
    medians.append((call, report("\(call.title), against the call in C", against: times[2], ours: times[0])))
  }
  for peer in options.peers {
    report_heading("The same calls from \(peer.name)", "ns")
    let times = peer.times()
    for (call, ours) in medians {
      report_peer(call.title, times[call.rawValue] ?? -1, ours)
    }
  }
} catch {
  print("benchmark: \(error)")
  exit(2)
}
exit(report_failed() ? 1 : 0)
