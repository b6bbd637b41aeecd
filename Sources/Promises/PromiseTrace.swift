import CPlatform

/// What happens to the promises of this process, whatever language they belong to: recorded, to be looked at later.
///
///     PromiseTrace.start()
///     ...
///     PromiseTrace.stop()
///     try PromiseTrace.write(to: file.fileDescriptor, as: .perfetto)
///
/// While no trace is on, promises cost one test more wherever a trace would be told.
public enum PromiseTrace {
  /// How a trace is written.
  public enum Format: Sendable {
    /// Chrome's trace events, as JSON, which ui.perfetto.dev opens: callbacks by thread, promises from their making to
    /// their end, and what made what run.
    case perfetto
    /// The graph of what was made of what, for Graphviz's dot.
    case graphviz
  }

  /// A trace or a dump could not be written.
  public struct WritingFailure: Error, Sendable {
    /// The system's number for what went wrong: `errno`.
    public let code: Int32
  }

  /// Starts a trace, in place of the one before, whose events go.
  ///
  /// - Parameter capacity: how many events are kept, the newest, of 48 bytes each.
  /// - Thread: any.
  public static func start(capacity: Int = 1 << 20) {
    precondition(capacity > 0, "a trace has room for one event at least")
    guard unsafe Trace.start(capacity: capacity, nil, Context(nil, nil)) else { fatalError("no memory for a trace") }
  }

  /// Stops the trace. What it has recorded can still be written.
  ///
  /// - Thread: any.
  public static func stop() { Trace.stop() }

  /// Writes what has been recorded. Both formats say how many older events are lost.
  ///
  /// - Parameters:
  ///   - descriptor: a file descriptor; it stays open.
  ///   - format: what for.
  /// - Thread: any; the caller may be blocked.
  public static func write(to descriptor: Int32, as format: Format) throws(WritingFailure) {
    switch Trace.write(descriptor, format == .perfetto ? .perfetto : .graphviz) {
    case .written: return
    case .descriptorFailed: throw WritingFailure(code: platform_last_error())
    case .outOfMemory: fatalError("no memory for a trace")
    }
  }
}

/// What is pending in this process, and who must settle it.
public enum PromiseDump {
  /// A line for each pending promise: its id, how long it has been pending if a trace was on when it was made, how many
  /// references and callbacks it has, and who must settle it; then one with their number. Other threads go on meanwhile.
  ///
  ///     0x42000100000a1 pending, 2 references, 1 callback: a callback on the pool 0x..., after 0x...
  ///     0x42000100000a2 pending, 1 reference, 3 callbacks: any holder
  ///
  /// - Thread: any.
  public static func lines() -> [String] {
    var lines: [String] = []
    guard unsafe Dump.write({ line in unsafe lines.append(String(decoding: line, as: UTF8.self)) }) else {
      fatalError("no memory for a dump")
    }
    return lines
  }
}
