import CPlatform

/// The output format of a recording.
package enum TraceFormat: UInt32 {
  /// Chrome's trace events, as JSON, for Perfetto.
  case perfetto = 1
  /// The graph of promises and the promises derived from them, for Graphviz.
  case graphviz = 2
}

extension Trace {
  /// Writes the recording.
  package static func write(_ descriptor: Int32, _ format: TraceFormat) -> DescriptorOutput.Ending {
    guard let recording = copy() else { return .outOfMemory }
    defer { recording.free() }
    // At most two ids per event, and one for its thread.
    guard let table = unsafe TraceTable(recording.count * 3) else { return .outOfMemory }
    unsafe fill(table, recording)
    var output = DescriptorOutput(descriptor)
    switch format {
    case .perfetto: unsafe writePerfetto(recording, table, &output)
    case .graphviz: unsafe writeGraph(recording, table, &output)
    }
    return output.finish()
  }

  private static func fill(_ table: borrowing TraceTable, _ recording: Recording) {
    for index in 0..<recording.count {
      let event = recording[index]
      let entry = unsafe table[event.id]
      switch Kind(rawValue: event.kind) {
      case .created:
        unsafe entry.pointee.isPromise = true
        unsafe entry.pointee.depth = 1
        unsafe entry.pointee.made = event.time
        unsafe entry.pointee.parent = event.parent
      case .attached: unsafe entry.pointee.parent = event.parent
      case .settled:
        unsafe entry.pointee.isPromise = true
        unsafe entry.pointee.settlement = UInt32(truncatingIfNeeded: index + 1)
      default: break
      }
    }
  }

  // MARK: Graphviz

  private static func writeGraph(
    _ recording: Recording, _ table: borrowing TraceTable, _ output: inout DescriptorOutput
  ) {
    output.write("digraph promises {\n  rankdir=LR;\n  node [shape=box];\n")
    if recording.lost > 0 {
      output.write("  label=\"")
      output.write(decimal: recording.lost)
      output.write(" older events are lost\";\n")
    }
    for place in unsafe 0..<table.capacity {
      if let entry = unsafe table.entry(at: place) { writeNode(entry, recording, &output) }
    }
    for index in 0..<recording.count {
      let event = recording[index]
      let kind = Kind(rawValue: event.kind)
      guard kind == .created || kind == .attached, event.parent != 0 else { continue }
      output.write("  \"")
      output.write(id: event.parent)
      output.write("\" -> \"")
      output.write(id: event.id)
      output.write("\";\n")
    }
    output.write("}\n")
  }

  private static func writeNode(
    _ entry: TraceTable.Entry, _ recording: Recording, _ output: inout DescriptorOutput
  ) {
    output.write("  \"")
    output.write(id: entry.key)
    output.write("\" [label=\"")
    output.write(entry.isPromise ? "" : "callback ")
    output.write(id: entry.key)
    if entry.settlement != 0 {
      let settlement = recording[Int(entry.settlement) - 1]
      output.write(settlement.state == 3 ? "\\nrejected" : "\\nfulfilled")
      if entry.depth == 1 {
        output.write(" after ")
        output.write(microseconds: settlement.time - entry.made)
        output.write(" us")
      }
      output.write(settlement.state == 3 ? "\", color=red" : "\", color=green")
    } else {
      output.write(entry.isPromise ? "\\npending\", style=dashed" : "\", shape=ellipse")
    }
    output.write("];\n")
  }
}

extension TextOutput {
  /// Writes nanoseconds as microseconds, with three decimals.
  mutating func write(microseconds nanoseconds: Int64) {
    write(nanoseconds / 1000)
    write(".")
    write(thousandths: UInt64(nanoseconds % 1000))
  }
}
