import CPluginEdge
import Glibc
import PluginRuntime
import Promises

extension CheckJob {
  /// Makes the check. Call in the child process.
  func run(_ plan: [PluginDescription], _ options: CheckOptions, _ types: DebugTypes) {
    guard let run = CheckRun(plan, options, name: name) else { return }
    if kind == .types { return types.compare(run.plugin, in: run.host) }
    guard let function else { return run.end() }
    switch kind {
    case .load, .types: break
    case .calls: run.callAtRandom(function)
    case .leaks: run.measureLeaks(function)
    case .cancelling: run.discard(function)
    }
  }
}

extension CheckRun {
  /// Calls with random and boundary arguments.
  fileprivate func callAtRandom(_ function: FunctionDescription) {
    var pending = 0
    for _ in 0..<options.calls where pending < 3 {
      guard let arguments = arguments(for: function) else { return end() }
      if !call(function, arguments) {
        pending += 1
        forgive()
      }
    }
    if pending > 0 { CheckProcess.write(.note, "promises were pending after a second, and were discarded") }
    end(judgingThreads: pending == 0)
  }

  /// Calls in two equal rounds: a count that grows in both is a leak per call.
  fileprivate func measureLeaks(_ function: FunctionDescription) {
    guard function.signature.canBeMeasured else {
      return CheckProcess.write(
        .skipped,
        "leaks were not measured: it returns addresses without an owner, takes addresses, or keeps callbacks")
    }
    guard let arguments = arguments(for: function) else { return }
    forgive()
    let round = 200
    for _ in 0..<round {
      guard call(function, arguments) else {
        return CheckProcess.write(.skipped, "leaks were not measured: a promise was pending after a second")
      }
    }
    var counts = [Counts.now]
    for _ in 0..<2 {
      for _ in 0..<round { call(function, arguments) }
      // Threads of the plugin release references, and destructors run on threads of the library, after the call has
      // returned.
      for _ in 0..<200 where Counts.now.hasGrown(by: round, over: counts[counts.count - 1]) { usleep(10_000) }
      counts.append(.now)
    }
    let growths = zip(counts, counts.dropFirst()).map { ($1.objects - $0.objects, $1.bytes - $0.bytes) }
    let objects = growths.map(\.0).min() ?? 0
    let bytes = growths.map(\.1).min() ?? 0
    let text = "\(function.name)(\(arguments.checkText))"
    if objects >= round * 9 / 10 {
      CheckProcess.write(.finding, "keeps \(Self.perCall(objects, round)) promises or values of each call \(text)")
    } else if bytes >= round * 16 {
      CheckProcess.write(.finding, "keeps \(Self.perCall(bytes, round)) bytes of memory of each call \(text)")
    }
  }

  private static func perCall(_ count: Int, _ calls: Int) -> Int { (count + calls / 2) / calls }

  /// Discards calls immediately, then calls again.
  fileprivate func discard(_ function: FunctionDescription) {
    forgive()
    for _ in 0..<50 {
      guard let arguments = arguments(for: function) else { return }
      begin(function, arguments).discard()
      CheckProcess.write(.returned, "")
    }
    // Work that was asked to stop may still end the process.
    usleep(50_000)
    guard let arguments = arguments(for: function) else { return }
    call(function, arguments)
    end(judgingThreads: false)
  }

  private struct Counts {
    var objects: Int
    var bytes: Int

    static var now: Counts { Counts(objects: PromiseUsage.liveObjects, bytes: plugin_memory_in_use()) }

    /// Whether the calls of a round may have leaked.
    func hasGrown(by round: Int, over earlier: Counts) -> Bool {
      objects > earlier.objects + round / 2 || bytes > earlier.bytes + round * 16
    }
  }
}

extension Signature {
  /// Whether a call must leave nothing allocated, so that leaks can be measured.
  fileprivate var canBeMeasured: Bool {
    let given = ([yielded].compactMap(\.self) + outputs.map(\.type)).map { type -> ValueType in
      if case .promise(let held?) = type { held } else { type }
    }
    let takesAddresses = inputs.contains { $0.type.objectName != nil }
    let keepsCallbacks = inputs.contains { $0.type.callbackType.map { $0.scope != .call } ?? false }
    return !takesAddresses && !keepsCallbacks
      && given.allSatisfy { $0.objectName == nil || $0.isDestroyedObject }
  }
}
