import CPluginEdge
import PluginRuntime
import Synchronization

/// Names the plugin before each line that plugins in this process, and programs that they start, print.
///
/// Descriptor 1 is a pipe, which one thread reads. A line belongs to the plugin whose code runs or whose call is
/// pending. If there are several such plugins, all are named: the one that printed cannot be identified.
enum PluginOutput {
  fileprivate struct State: Sendable {
    /// Writes lines; `nil` while descriptor 1 is not captured.
    var write: (@Sendable ([String]) -> Void)?
    /// The plugins that were loaded in this process.
    var loaded: Set<String> = []
    /// The number of entries into the code of each plugin that runs.
    var running: [String: Int] = [:]
    /// The bytes read since the last end of a line.
    var text: [UInt8] = []
  }

  private static let state = Mutex(State())

  /// The longest wait for text to be written, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  /// Captures descriptor 1. Without a pipe or a thread, lines are printed without a name. Call before plugin code runs.
  static func begin(_ write: @escaping @Sendable ([String]) -> Void) {
    guard plugin_output_capture() else { return }
    state.withLock { $0.write = write }
    if !ProcessGuard.startThread({ read() }) { end() }
  }

  /// Notes that a plugin is loaded in this process, and may print at any time.
  static func note(loaded name: String) { state.withLock { _ = $0.loaded.insert(name) } }

  /// Runs code of a plugin in this process, and attributes lines to the plugin meanwhile.
  static func attributing<Result, Failure: Error>(
    to name: String, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    enter(name)
    defer { leave(name) }
    return try body()
  }

  /// Begins a call. Returns true if the plugin's lines are captured; then `leave` has to be called.
  static func enterCall(of name: String) -> Bool {
    guard state.withLock({ $0.write != nil && $0.loaded.contains(name) }) else { return false }
    enter(name)
    return true
  }

  /// Ends a call, after its lines have been written.
  static func leave(_ name: String) {
    plugin_output_await(patience)
    state.withLock { state in
      let count = state.running[name] ?? 0
      if count == 1, state.running.count == 1 { state.finishLine() }
      state.running[name] = count > 1 ? count - 1 : nil
    }
  }

  /// Writes the last lines. Later text is written to standard error without a name.
  static func end() {
    guard state.withLock({ $0.write != nil }) else { return }
    plugin_output_release()
    plugin_output_await(patience)
    state.withLock { state in
      state.finishLine()
      state.write = nil
    }
  }

  /// Ends the capture as late as possible: after exit handlers and destructors of plugins.
  static func endAtExit() {
    if !plugin_output_at_exit({ PluginOutput.end() }) { end() }
  }

  private static func enter(_ name: String) {
    // Earlier text was printed by the plugins that were already running.
    plugin_output_await(patience)
    state.withLock { $0.running[name, default: 0] += 1 }
  }

  private static func read() {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = plugin_output_read(&chunk, chunk.count)
      state.withLock { $0.add(chunk[..<count]) }
      plugin_output_written()
      if count == 0 { return }
    }
  }
}

extension PluginOutput.State {
  private var name: String {
    let names = running.isEmpty ? loaded : Set(running.keys)
    return names.isEmpty ? "plugins" : names.sorted().joined(separator: " or ")
  }

  /// Writes the lines that end in `chunk`.
  fileprivate mutating func add(_ chunk: ArraySlice<UInt8>) {
    var lines: [String] = []
    var rest = chunk
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(line(ending: rest[..<end]))
      rest = rest[(end + 1)...]
    }
    text += rest
    if text.count >= String.longestLine { lines.append(line(ending: [])) }
    if !lines.isEmpty { write?(lines) }
  }

  /// Writes a line that has no end.
  fileprivate mutating func finishLine() {
    if !text.isEmpty { write?([line(ending: [])]) }
  }

  private mutating func line(ending end: ArraySlice<UInt8>) -> String {
    defer { text = [] }
    return "\(name): \(String(decoding: text + end, as: UTF8.self))"
  }
}
