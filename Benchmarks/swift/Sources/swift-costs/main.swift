// `swift-costs [--long]`: the Swift rows of the budget table, as times against SwiftNIO's.
import CReport
import NIOCore
import NIOEmbedded
import NIOPosix
import Timing

let arguments = CommandLine.arguments.dropFirst()
guard arguments.isEmpty || arguments == ["--long"] else {
  print("usage: swift-costs [--long]")
  exit(64)
}
let stopwatch = Stopwatch(rounds: arguments.isEmpty ? 300 : 3000)
let embedded = EmbeddedEventLoop()
let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
/// Measures ours against both of NIO's loops.
func race(
  _ row: String, items: Int, budget: Double = 0.35, ours: @escaping () -> Void,
  theirs: @escaping @Sendable (any EventLoop) -> Void
) {
  let loop = group.next()
  let times = stopwatch.race(
    items: items,
    [
      { Stopwatch.time($0, ours) },
      { Stopwatch.time($0) { theirs(embedded) } },
      { times in
        do {
          return try loop.submit { Stopwatch.time(times) { theirs(loop) } }.wait()
        } catch {
          fatalError("the event loop refused the work: \(error)")
        }
      },
    ])
  report("\(row), NIO embedded", against: times[1], ours: times[0], budget: budget)
  report("\(row), NIO MTELG", against: times[2], ours: times[0], budget: budget)
}

report_heading("Promise<Int> against EventLoopFuture<Int>", "ns")
race("new + then + resolve", items: 100, ours: { Ours.then(100) }) { Theirs.then(100, on: $0) }
race("a link of a chain of 10", items: 10, ours: { Ours.chain(10) }) { Theirs.chain(10, on: $0) }
// A value that the optimizer cannot know.
let step = arguments.count + 1
race("new + then that captures + resolve", items: 100, ours: { Ours.then(100, adding: step) }) {
  Theirs.then(100, adding: step, on: $0)
}
race("a link that captures, of a chain of 10", items: 10, ours: { Ours.chain(10, adding: step) }) {
  Theirs.chain(10, adding: step, on: $0)
}
race("new + rescue + reject", items: 100, budget: 1, ours: { Ours.rescue(100) }) { Theirs.recover(100, on: $0) }
race("new + anyway + reject", items: 100, budget: 0.8, ours: { Ours.anyway(100) }) { Theirs.recover(100, on: $0) }

report_heading("Future<Int, any Error> against EventLoopFuture<Int>", "ns")
let (ourSum, theirSum) = (Sum(), Sum())
race("makeWithResolver + map + fulfill", items: 100, ours: { Ours.map(100) }) { Theirs.then(100, on: $0) }
race("the same with onSuccess, that captures", items: 100, budget: 0.7, ours: { Ours.onSuccess(100, adding: ourSum) }) {
  Theirs.onSuccess(100, adding: theirSum, on: $0)
}
race("the same with flatMap", items: 100, ours: { Ours.flatMap(100) }) { Theirs.flatMap(100, on: $0) }
race("makeWithResolver + map with a token + fulfill", items: 100, budget: 0.5, ours: { Ours.mapWithToken(100) }) {
  Theirs.then(100, on: $0)
}
race("map + replaceError, rejected", items: 100, budget: 0.7, ours: { Ours.reject(100) }) { Theirs.reject(100, on: $0) }

try group.syncShutdownGracefully()
exit(report_failed() ? 1 : 0)
