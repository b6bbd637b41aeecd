import CPluginEdge
import Glibc
import PluginRuntime
import Promises
import Synchronization

/// The options of a check.
struct CheckOptions {
  var seed: UInt64
  /// The number of calls of each function with random arguments.
  var calls: Int
  /// The time limit for each call, and for load() and unload().
  var timeout: Duration
  /// Whether unload() is called, and threads, descriptors and processes are counted after it. False after the check of
  /// loading and unloading had a finding.
  var unloads = true
}

/// A check, in the child process that makes it: a host with the plugin loaded.
final class CheckRun {
  let plugin: PluginDescription
  let options: CheckOptions
  let host: Host
  private let misuse: CheckMisuse
  private let before: ProcessCounts
  private var values: CheckValues
  private let objects: CheckObjects
  /// The reported faults: only the first of each kind is reported.
  private var reported: Set<String> = []
  private var isForgiving = false
  /// The time after which a pending promise is discarded.
  static let patience = Duration.seconds(1)

  /// Loads the plugins, the checked one last. Reports a finding and returns `nil` if it cannot be loaded.
  init?(_ plan: [PluginDescription], _ options: CheckOptions, name: String) {
    guard let plugin = plan.last else { return nil }
    let misuse = CheckMisuse()
    _ = PromiseUsage.observe(
      settledAgain: { misuse.note("settles a promise that was settled before") },
      dropped: { misuse.note("releases the last reference to a promise that is pending") })
    ProcessGuard.install(
      program: "plugin-host", statuses: .init(call: 1, load: 2, timeout: 3), timeout: .zero)
    // Opens the main loop's descriptors before they are counted, so that they are not taken for the plugin's.
    _ = CellLoop.main
    plugin_child_adopt_orphans()
    before = ProcessCounts.now
    let host = Host(
      Host.Options(log: { _, _, message in
        // The first such message of a callback: later ones end with a count.
        if message.hasSuffix("the call did nothing") { misuse.note(message) }
      }))
    do {
      for plugin in plan {
        if let adoption = plugin.adoption { try host.adopt(adoption) } else { try host.load(plugin.path) }
      }
    } catch {
      CheckProcess.write(.finding, "\(error)")
      return nil
    }
    (self.plugin, self.options, self.host, self.misuse) = (plugin, options, host, misuse)
    let objects = CheckObjects(of: plugin, in: host)
    values = CheckValues(dice: Dice(seed: options.seed, name: name), pointer: objects.object)
    self.objects = objects
  }

  /// Returns random arguments; `nil`, after a note, if there are none for the function.
  func arguments(for function: FunctionDescription) -> [Argument]? {
    if let arguments = values.arguments(for: function.signature) { return arguments }
    CheckProcess.write(.skipped, "was not called: it takes a token, or an address that no function returns")
    return nil
  }

  /// Writes a line for the report, then starts a call.
  func begin(_ function: FunctionDescription, _ arguments: [Argument]) -> Promise<PluginValue> {
    CheckProcess.write(.call, "\(function.name)(\(arguments.checkText))")
    return host.call(function.name, of: plugin.id, arguments)
  }

  /// Calls a function and waits for the outcome. Returns false if the promise is pending, and was discarded.
  @discardableResult
  func call(_ function: FunctionDescription, _ arguments: [Argument]) -> Bool {
    let promise = begin(function, arguments)
    let isSettled = MainThread.wait(for: promise, atMost: Self.patience)
    if isSettled { judge(promise.rejectReason, function, arguments) } else { promise.discard() }
    CheckProcess.write(.returned, "")
    reportMisuse(after: "\(function.name)(\(arguments.checkText))")
    return isSettled
  }

  /// Reports a rejection by the host for a broken rule.
  private func judge(_ reason: Any?, _ function: FunctionDescription, _ arguments: [Argument]) {
    guard let error = reason as? PluginError, !isForgiving else { return }
    switch error.kind {
    // A C++ exception is a valid way to reject; an exception of another language is a mistake.
    case .badResult, .exception(type: nil, _), .abandoned:
      report(error.message, "in the call \(function.name)(\(arguments.checkText))")
    default: break
    }
  }

  private func report(_ fault: String, _ place: String) {
    // Two faults that differ only in a value are the same.
    if reported.insert(fault.filter(\.isLetter)).inserted { CheckProcess.write(.finding, "\(fault), \(place)") }
  }

  /// Reports recorded misuse, each kind once.
  func reportMisuse(after call: String) {
    for text in misuse.take() { report(text, "after the call \(call)") }
  }

  /// Stops reporting misuse and wrong results, because promises were discarded, which the plugin may not have noticed
  /// yet, or because the check is about something else.
  func forgive() {
    isForgiving = true
    misuse.forgive()
  }

  /// Unloads the plugins. Reports threads, descriptors and processes that are left behind.
  func end(judgingThreads: Bool = true) {
    // Gives late threads of the plugin time to misbehave.
    usleep(50_000)
    reportMisuse(after: "that was the last")
    objects.release()
    guard options.unloads else { return }
    for name in host.unloadAll(deadline: .zero + .seconds(1)) {
      CheckProcess.write(.note, "\(name) was not unloaded: a function has not returned")
    }
    guard judgingThreads else { return }
    var left = ProcessCounts.now.excess(over: before)
    let end = ContinuousClock.now + .seconds(3)
    while !left.isEmpty, .now < end {
      usleep(50_000)
      // Keeps the parent from killing this process.
      CheckProcess.write(.returned, "")
      left = ProcessCounts.now.excess(over: before)
    }
    for text in left { CheckProcess.write(.finding, "leaves \(text) behind after unload()") }
  }
}

/// Misuse of promises and callbacks, recorded on any thread.
private final class CheckMisuse: Sendable {
  private let texts = Mutex<(found: [String], isForgiven: Bool)>(([], false))

  func note(_ text: String) {
    texts.withLock { if !$0.isForgiven { $0.found.append(text) } }
  }

  func take() -> [String] {
    texts.withLock { texts in
      defer { texts.found = [] }
      return texts.found
    }
  }

  func forgive() { texts.withLock { $0 = ([], true) } }
}
