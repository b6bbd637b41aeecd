import PluginRuntime
import Promises
import Synchronization

/// Failures as JSON on standard error, for programs that asked for `--format json`.
///
///     {"error":{"kind":"rejected","status":1,"plugin":"org.sqlite","function":"sqlite3_open",
///               "domain":"org.sqlite","code":14,"message":"unable to open database file"}}
enum StructuredError {
  private static let flag = Atomic<Bool>(false)

  /// Whether failures are written as JSON. Starts as false.
  static var isOn: Bool {
    get { flag.load(ordering: .relaxed) }
    set { flag.store(newValue, ordering: .relaxed) }
  }

  /// Writes a failure: as one line of JSON if `isOn`, and otherwise its lines.
  static func write(_ failure: Failure) {
    // A failure without lines was already written.
    if failure.lines.isEmpty { return }
    if isOn { StandardError.write(json(failure)) } else { StandardError.write(lines: failure.lines) }
  }

  static func json(_ failure: Failure) -> JSON {
    let facts = failure.facts
    var members: [(String, JSON)] = [
      ("kind", .string(failure.status.name)), ("status", .number(UInt64(failure.status.rawValue))),
    ]
    if let line = facts.line { members.append(("line", .number(UInt64(line)))) }
    if let step = facts.step { members.append(("step", text(step))) }
    if let plugin = facts.plugin { members.append(("plugin", text(plugin))) }
    if let function = facts.function { members.append(("function", text(function))) }
    switch facts.reason {
    case .error(let error):
      members += parts(of: error)
      if !error.causes.isEmpty { members.append(("causes", .array(error.causes.map(json)))) }
    case .causes(let causes):
      members += [("message", message(of: failure)), ("causes", .array(causes.map(json)))]
    case .value(let value):
      members += [("message", message(of: failure)), ("reason", .value(value))]
    case nil: members.append(("message", message(of: failure)))
    }
    return .object([("error", .object(members))])
  }

  private static func json(_ cause: PromiseError) -> JSON { .object(parts(of: cause)) }

  private static func parts(of error: PromiseError) -> [(String, JSON)] {
    [
      ("domain", text(error.domain)), ("code", .value(PluginValue.int(error.code).redacted)),
      ("message", text(error.message)),
    ]
  }

  private static func json(_ cause: PluginError) -> JSON {
    .object([("subject", text(cause.subject)), ("message", text(cause.message))])
  }

  private static func message(of failure: Failure) -> JSON {
    let prefix = "plugin-host: "
    let lines = failure.lines.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
    return text(lines.joined(separator: "\n"))
  }

  /// Returns a text without secrets. They are hidden before JSON changes their form.
  private static func text(_ text: String) -> JSON { .string(Redaction.apply(text).cut) }
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
