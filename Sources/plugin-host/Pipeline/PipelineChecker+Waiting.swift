import PluginRuntime

/// Finds steps that would wait for each other forever, because a step whose events are taken keeps its lock while it
/// waits for buffer space.
extension PipelineChecker {
  /// A lock that one call holds at a time.
  private enum Lock: Hashable, CustomStringConvertible {
    case serial(String)
    /// A plugin that makes one call at a time.
    case plugin(String)

    var description: String {
      switch self {
      case .serial(let name): "serial \(name)"
      case .plugin(let id): "\(id), which makes one call at a time"
      }
    }
  }

  /// The wait of a running step, which holds locks: for a lock that itself, or a step that its events need, has yet to
  /// take.
  private struct Wait {
    var holder: Int
    var held: Set<Lock>
    var need: Need
    var lock: Lock
    var location: Location
  }

  /// A step that has to go on before the events of another one are taken.
  private struct Need {
    var step: Int
    /// The index of the need that it follows from; nil if it takes the events itself.
    var cause: Int?
    /// Whether it takes the events of the step before it; otherwise that step waits for it.
    var takesEvents = true
  }

  /// Checks that no step holds a lock while it waits, over the steps that take its events, for that lock or for another
  /// step that waits for it.
  mutating func checkWaiting(_ steps: [PipelinePlan.Step]) {
    var waits: [Wait] = []
    for (number, step) in steps.enumerated() {
      let held = locks(of: step)
      guard !held.isEmpty else { continue }
      // The plugin's thread is taken after the lock of serial steps.
      if let serial = step.serial, let plugin = held.first(where: { $0 != .serial(serial) }) {
        waits.append(
          Wait(
            holder: number, held: [.serial(serial)], need: Need(step: number), lock: plugin,
            location: pipeline.steps[number].name.location))
      }
      let needs = needs(of: number, steps)
      for (index, need) in needs.enumerated() {
        for (lock, location) in neededLocks(of: steps[need.step], need.step) {
          if held.contains(lock) {
            reportWait(index, of: needs, for: number, lock, at: location, steps)
          } else {
            waits.append(Wait(holder: number, held: held, need: need, lock: lock, location: location))
          }
        }
      }
    }
    reportCircles(of: waits, steps)
  }

  /// The steps that have to go on before the events of a step are taken, each after the one that it follows from: those
  /// that take the events, and the steps that their rescues wait for. Steps that have ended before are left out.
  private func needs(of holder: Int, _ steps: [PipelinePlan.Step]) -> [Need] {
    guard !steps[holder].consumers.isEmpty else { return [] }
    var needs: [Need] = []
    var seen = predecessors(of: holder, steps).union([holder])
    if let firstFinal = pipeline.firstFinal, holder >= firstFinal { seen.formUnion(0..<firstFinal) }
    func add(_ numbers: [Int], _ cause: Int?, takesEvents: Bool) {
      for number in numbers where seen.insert(number).inserted {
        needs.append(Need(step: number, cause: cause, takesEvents: takesEvents))
      }
    }
    add(steps[holder].consumers, nil, takesEvents: true)
    var next = 0
    while next < needs.count {
      let step = steps[needs[next].step]
      add(step.consumers, next, takesEvents: true)
      add(step.inputs + (step.source.map { [$0] } ?? []), next, takesEvents: false)
      if case .call(_, let inputs) = step.rescue { add(inputs, next, takesEvents: false) }
      next += 1
    }
    return needs
  }

  /// The locks that the call of a step holds while it runs.
  private func locks(of step: PipelinePlan.Step) -> Set<Lock> {
    var locks = Set(step.serial.map { [Lock.serial($0)] } ?? [])
    if single.contains(step.call.plugin.id) { locks.insert(.plugin(step.call.plugin.id)) }
    return locks
  }

  /// The locks that a step takes, for its call or the substitute.
  private func neededLocks(of step: PipelinePlan.Step, _ number: Int) -> [(lock: Lock, location: Location)] {
    let written = pipeline.steps[number]
    var locks = step.serial.map { [(Lock.serial($0), written.name.location)] } ?? []
    if single.contains(step.call.plugin.id) {
      locks.append((.plugin(step.call.plugin.id), written.call.plugin.location))
    }
    if case .call(let call, _) = step.rescue, case .call(let text) = written.rescue, single.contains(call.plugin.id),
      call.plugin.id != step.call.plugin.id
    {
      locks.append((.plugin(call.plugin.id), text.plugin.location))
    }
    return locks
  }

  private mutating func reportWait(
    _ index: Int, of needs: [Need], for holder: Int, _ lock: Lock, at location: Location, _ steps: [PipelinePlan.Step]
  ) {
    var texts: [String] = []
    var events = "the events of"
    var next: Int? = index
    while let current = next {
      let (need, cause) = (needs[current], needs[current].cause)
      let other = steps[cause.map { needs[$0].step } ?? holder].name
      texts.append(need.takesEvents ? "takes \(events) \"\(other)\"" : "is waited for by \"\(other)\"")
      if need.takesEvents { events = "those of" }
      next = cause
    }
    let text = "the step \(texts.joined(separator: ", which ")) while that runs"
    let (name, other) = (steps[needs[index].step].name, steps[holder].name)
    let hint = needs[index].takesEvents ? "" : "; \"after: \(name)\" in \"\(other)\" makes one run after the other"
    switch lock {
    case .serial(let name): report(location, "\(text), so they cannot both be serial \(name)\(hint)")
    case .plugin(let id): report(location, "\(text), but \(id) makes one call at a time\(hint)")
    }
  }

  /// Reports a circle of steps, each of which waits for a lock that the next one holds, all at the same time. The
  /// search ends after a number of tries, because there may be more paths than could ever be followed.
  private mutating func reportCircles(of waits: [Wait], _ steps: [PipelinePlan.Step]) {
    var next: [Lock: [Int]] = [:]
    for (index, wait) in waits.enumerated() {
      for lock in wait.held { next[lock, default: []].append(index) }
    }
    var before: [Int: Set<Int>] = [:]
    func precedes(_ first: Int, _ last: Int) -> Bool {
      if before[last] == nil { before[last] = predecessors(of: last, steps) }
      return before[last]?.contains(first) ?? false
    }
    let firstFinal = pipeline.firstFinal ?? steps.count
    // Whether both steps can hold their locks at the same time; no step can twice.
    func canMeet(_ wait: Wait, _ other: Wait) -> Bool {
      wait.held.isDisjoint(with: other.held) && (wait.holder < firstFinal) == (other.holder < firstFinal)
        && !precedes(wait.holder, other.holder) && !precedes(other.holder, wait.holder)
    }
    var tries = 100_000
    for start in waits.indices {
      // A walk over the waits behind the first, with the path to the current one.
      var path: [(wait: Int, rest: [Int])] = [(start, next[waits[start].lock] ?? [])]
      while let (current, rest) = path.last {
        guard let candidate = rest.last, tries > 0 else {
          path.removeLast()
          continue
        }
        tries -= 1
        path[path.count - 1].rest.removeLast()
        guard candidate >= start, !precedes(waits[current].need.step, waits[candidate].holder) else { continue }
        if candidate == start { return reportCircle(path.map { waits[$0.wait] }, steps) }
        guard path.allSatisfy({ canMeet(waits[$0.wait], waits[candidate]) }) else { continue }
        path.append((candidate, next[waits[candidate].lock] ?? []))
      }
    }
  }

  /// The steps whose ends a step waits for, directly or over others.
  private func predecessors(of step: Int, _ steps: [PipelinePlan.Step]) -> Set<Int> {
    var seen = Set(steps[step].inputs)
    var rest = Array(seen)
    while let step = rest.popLast() { rest += steps[step].inputs.filter { seen.insert($0).inserted } }
    return seen
  }

  private mutating func reportCircle(_ circle: [Wait], _ steps: [PipelinePlan.Step]) {
    let texts = circle.enumerated().map { index, wait in
      let holder = steps[circle[(index + 1) % circle.count].holder].name
      let name = steps[wait.holder].name
      let verb = wait.need.takesEvents ? "takes its events and" : "its events need and which"
      let step = wait.need.step == wait.holder ? "" : " for \"\(steps[wait.need.step].name)\", which \(verb) waits"
      return "\"\(name)\" waits\(step) for \"\(holder)\" (\(wait.lock))"
    }
    report(circle[0].location, "these steps can wait for each other forever: \(texts.joined(separator: "; "))")
  }
}
