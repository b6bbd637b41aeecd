import PluginRuntime
import Promises
import Synchronization

/// Failures as JSON on standard error, for programs that asked for `--format json`.
///
///     {"error":{"kind":"rejected","status":1,"plugin":"org.sqlite","function":"sqlite3_open",
///               "domain":"org.sqlite","code":14,"message":"unable to open database file"}}
enum StructuredError {
  private static let isOn = Atomic<Bool>(false)

  /// Writes failures as JSON from here on.
  static func turnOn() { isOn.store(true, ordering: .relaxed) }

  /// Writes a failure: as JSON if that was asked for, and otherwise its lines.
  ///
  /// - Parameters:
  ///   - call: the ids of the plugin and the function that failed.
  ///   - reason: the error of the library or the plugin, which has a domain and a code.
  static func write(_ failure: Failure, call: (plugin: String, function: String)? = nil, reason: PromiseError? = nil) {
    guard isOn.load(ordering: .relaxed) else { return StandardError.write(lines: failure.lines) }
    StandardError.write(lines: [json(failure, call: call, reason: reason).text])
  }

  static func json(
    _ failure: Failure, call: (plugin: String, function: String)? = nil, reason: PromiseError? = nil
  ) -> JSON {
    var members: [(String, JSON)] = [
      ("kind", .string(failure.status.name)), ("status", .number(UInt64(failure.status.rawValue))),
    ]
    if let call { members += [("plugin", .string(call.plugin)), ("function", .string(call.function))] }
    if let reason { members += [("domain", .string(reason.domain)), ("code", .value(.int(reason.code)))] }
    let prefix = "plugin-host: "
    let lines = failure.lines.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
    members.append(("message", .string(reason?.message ?? lines.joined(separator: "\n"))))
    return .object([("error", .object(members))])
  }
}

extension ExitStatus {
  /// The name of the status in JSON.
  fileprivate var name: String {
    switch self {
    case .fulfilled: "fulfilled"
    case .rejected: "rejected"
    case .notLoaded: "notLoaded"
    case .timedOut: "timedOut"
    case .usage: "usage"
    }
  }
}
