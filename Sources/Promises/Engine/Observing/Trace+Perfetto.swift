import CPlatform

// Chrome's trace event format, as opened by https://ui.perfetto.dev. Each promise is an asynchronous slice from its
// creation to its settlement. Each callback is a slice on its thread. Each settlement is a short slice, with arrows to
// the callbacks that it ran.
extension Trace {
  static func writePerfetto(
    _ recording: Recording, _ table: borrowing TraceTable, _ output: inout DescriptorOutput
  ) {
    output.write("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"events\":\"")
    output.write(Int64(recording.count))
    output.write("\",\"older_events_lost\":\"")
    output.write(decimal: recording.lost)
    output.write("\"},\"traceEvents\":[\n")
    output.write(
      "{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"ts\":0,\"name\":\"process_name\",\"args\":{\"name\":\"promises\"}}")
    for index in 0..<recording.count {
      let event = recording[index]
      let entry = unsafe table[event.id]
      switch Kind(rawValue: event.kind) {
      case .created: writeCreation(event, &output)
      case .settled:
        if unsafe entry.pointee.depth == 1 { writeEnd(event, event.state == 3 ? "rejected" : "fulfilled", &output) }
        writeSettlement(event, &output)
      case .dropped:
        if unsafe entry.pointee.depth == 1 { writeEnd(event, "dropped pending", &output) }
      case .began:
        unsafe table[TraceTable.thread(event.thread)].pointee.depth += 1
        unsafe writeBeginning(event, entry.pointee.parent, &output)
        guard unsafe entry.pointee.parent != 0 else { break }
        let settlement = unsafe table[entry.pointee.parent].pointee.settlement
        if settlement != 0 { writeArrow(recording[Int(settlement) - 1], event, index, &output) }
      case .ended:
        // An event without its beginning, which is older than the recording, is skipped.
        let thread = unsafe table[TraceTable.thread(event.thread)]
        guard unsafe thread.pointee.depth > 0 else { break }
        unsafe thread.pointee.depth -= 1
        begin("E", event, &output)
        output.write("}")
      default: break
      }
    }
    output.write("\n]}\n")
  }

  /// Writes the fields common to all events.
  private static func begin(_ phase: StaticString, _ event: Event, _ output: inout DescriptorOutput) {
    output.write(",\n{\"ph\":\"")
    output.write(phase)
    output.write("\",\"pid\":1,\"tid\":")
    output.write(Int64(event.thread))
    output.write(",\"ts\":")
    output.write(microseconds: event.time)
  }

  private static func write(id: UInt64, _ output: inout DescriptorOutput) {
    output.write("\"")
    output.write(id: id)
    output.write("\"")
  }

  private static func beginLife(_ phase: StaticString, _ event: Event, _ output: inout DescriptorOutput) {
    begin(phase, event, &output)
    output.write(",\"cat\":\"promise\",\"name\":\"promise ")
    output.write(id: event.id)
    output.write("\",\"id\":")
    write(id: event.id, &output)
    output.write(",\"args\":{")
  }

  private static func writeCreation(_ event: Event, _ output: inout DescriptorOutput) {
    beginLife("b", event, &output)
    if event.parent != 0 {
      output.write("\"made of\":")
      write(id: event.parent, &output)
    }
    output.write("}}")
  }

  private static func writeEnd(_ event: Event, _ outcome: StaticString, _ output: inout DescriptorOutput) {
    beginLife("e", event, &output)
    output.write("\"ended\":\"")
    output.write(outcome)
    output.write("\"}}")
  }

  private static func writeSettlement(_ event: Event, _ output: inout DescriptorOutput) {
    begin("X", event, &output)
    output.write(",\"dur\":0.001,\"cat\":\"settlement\",\"name\":\"")
    output.write(event.state == 3 ? "reject" : "fulfill")
    output.write("\",\"args\":{\"promise\":")
    write(id: event.id, &output)
    output.write("}}")
  }

  private static func writeBeginning(_ event: Event, _ parent: UInt64, _ output: inout DescriptorOutput) {
    begin("B", event, &output)
    output.write(",\"cat\":\"callback\",\"name\":\"callback\",\"args\":{\"id\":")
    write(id: event.id, &output)
    if parent != 0 {
      output.write(",\"of\":")
      write(id: parent, &output)
    }
    if event.executor != 0 {
      output.write(",\"executor\":")
      write(id: event.executor, &output)
    }
    output.write("}}")
  }

  private static func writeArrow(
    _ from: Event, _ to: Event, _ number: Int, _ output: inout DescriptorOutput
  ) {
    for (phase, event) in [("s", from), ("f", to)] as [(StaticString, Event)] {
      begin(phase, event, &output)
      output.write(",\"cat\":\"settlement\",\"name\":\"runs\",\"bp\":\"e\",\"id\":")
      output.write(Int64(number))
      output.write("}")
    }
  }
}
