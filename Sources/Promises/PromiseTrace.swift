import CPlatform

/// A recording of the events of all promises in the process, in every language, for later inspection.
///
///     PromiseTrace.start()
///     ...
///     PromiseTrace.stop()
///     try PromiseTrace.write(to: file.fileDescriptor, as: .perfetto)
///
/// Without a running trace, each point that can record an event costs one test.
public enum PromiseTrace {
  /// The output format of a trace.
  public enum Format: Sendable {
    /// Chrome's trace events in JSON, which ui.perfetto.dev opens: callbacks by thread, promises from creation to
    /// settlement, and an arrow from each settlement to the callbacks that it ran.
    case perfetto
    /// The graph of derived promises, for Graphviz's dot.
    case graphviz
  }

  /// The error of a trace or a dump that could not be written.
  public struct WritingFailure: Error, Sendable {
    /// The system's error number, `errno`.
    public let code: Int32
  }

  /// Starts a trace. It replaces the previous one and drops its events.
  ///
  /// - Parameter capacity: the number of events that the ring buffer keeps, 48 bytes each; the oldest are overwritten.
  ///   Must be greater than 0.
  /// - Thread: any.
  public static func start(capacity: Int = 1 << 20) {
    precondition(capacity > 0, "a trace has room for one event at least")
    guard unsafe Trace.start(capacity: capacity, nil, Context(nil, nil)) else { fatalError("no memory for a trace") }
  }

  /// Stops the trace. The recorded events can still be written.
  ///
  /// - Thread: any.
  public static func stop() { Trace.stop() }

  /// Writes the recorded events. Both formats report the number of older events that were lost.
  ///
  /// - Parameters:
  ///   - descriptor: a file descriptor; it stays open.
  ///   - format: the output format.
  /// - Throws: `WritingFailure` if the descriptor cannot be written.
  /// - Thread: any; the call may block.
  public static func write(to descriptor: Int32, as format: Format) throws(WritingFailure) {
    switch Trace.write(descriptor, format == .perfetto ? .perfetto : .graphviz) {
    case .written: return
    case .descriptorFailed: throw WritingFailure(code: platform_last_error())
    case .outOfMemory: fatalError("no memory for a trace")
    }
  }
}

/// A listing of the pending promises in the process, each with its settler.
public enum PromiseDump {
  /// Returns a line for each pending promise, then a line with their number. Other threads continue to run meanwhile.
  ///
  /// A line has the promise's id, its age if a trace was running when it was made, the numbers of references and
  /// callbacks, and its settler.
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
