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

  /// The wait of a running step, which holds locks: for a lock that itself, or a step that takes its events, has yet to
  /// take.
  private struct Wait {
    var holder: Int
    var held: Set<Lock>
    var waiter: Int
    var lock: Lock
    var location: Location
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
            holder: number, held: [.serial(serial)], waiter: number, lock: plugin,
            location: pipeline.steps[number].name.location))
      }
      var takers = step.consumers
      var next = 0
      while next < takers.count {
        let taker = takers[next]
        next += 1
        takers += steps[taker].consumers
        for (lock, location) in neededLocks(of: steps[taker], taker) {
          if held.contains(lock) {
            reportWait(of: taker, for: number, lock, at: location, steps)
          } else {
            waits.append(Wait(holder: number, held: held, waiter: taker, lock: lock, location: location))
          }
        }
      }
    }
    reportCircles(of: waits, steps)
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
    of taker: Int, for holder: Int, _ lock: Lock, at location: Location, _ steps: [PipelinePlan.Step]
  ) {
    var events = "takes the events of "
    var source = steps[taker].source
    while let step = source, step != holder {
      events += "\"\(steps[step].name)\", which takes those of "
      source = steps[step].source
    }
    events += "\"\(steps[holder].name)\" while that runs"
    switch lock {
    case .serial(let name): report(location, "the step \(events), so they cannot both be serial \(name)")
    case .plugin(let id): report(location, "the step \(events), but \(id) makes one call at a time")
    }
  }

  /// Reports a circle of steps, each of which waits for a lock that the next one holds. Steps that never run at the
  /// same time make none.
  private mutating func reportCircles(of waits: [Wait], _ steps: [PipelinePlan.Step]) {
    var next: [Lock: [Int]] = [:]
    for (index, wait) in waits.enumerated() {
      for lock in wait.held { next[lock, default: []].append(index) }
    }
    var done = Set<Int>()
    for start in waits.indices {
      // A walk over the waits, with the path to the current one.
      var path: [(wait: Int, rest: [Int])] = [(start, next[waits[start].lock] ?? [])]
      while let (current, rest) = path.last {
        guard let candidate = rest.last else {
          done.insert(current)
          path.removeLast()
          continue
        }
        path[path.count - 1].rest.removeLast()
        guard !done.contains(candidate), canMeet(waits[current], waits[candidate], steps) else { continue }
        if let first = path.firstIndex(where: { $0.wait == candidate }) {
          return reportCircle(path[first...].map { waits[$0.wait] }, steps)
        }
        path.append((candidate, next[waits[candidate].lock] ?? []))
      }
    }
  }

  /// Whether the first step can wait while the second one holds the lock: neither runs after the other, and no common
  /// lock excludes that.
  private func canMeet(_ wait: Wait, _ other: Wait, _ steps: [PipelinePlan.Step]) -> Bool {
    let firstFinal = pipeline.firstFinal ?? steps.count
    return wait.held.isDisjoint(with: other.held) && (wait.holder < firstFinal) == (other.holder < firstFinal)
      && !precedes(wait.waiter, other.holder, steps) && !precedes(wait.holder, other.holder, steps)
      && !precedes(other.holder, wait.holder, steps)
  }

  /// Whether a step waits for the end of another.
  private func precedes(_ first: Int, _ last: Int, _ steps: [PipelinePlan.Step]) -> Bool {
    var seen = Set(steps[last].inputs)
    var rest = Array(seen)
    while let step = rest.popLast() {
      if step == first { return true }
      rest += steps[step].inputs.filter { seen.insert($0).inserted }
    }
    return false
  }

  private mutating func reportCircle(_ circle: [Wait], _ steps: [PipelinePlan.Step]) {
    let texts = circle.enumerated().map { index, wait in
      let holder = steps[circle[(index + 1) % circle.count].holder].name
      let name = steps[wait.holder].name
      let step =
        wait.waiter == wait.holder ? "" : " for \"\(steps[wait.waiter].name)\", which takes its events and waits"
      return "\"\(name)\" waits\(step) for \"\(holder)\" (\(wait.lock))"
    }
    report(circle[0].location, "these steps can wait for each other forever: \(texts.joined(separator: "; "))")
  }
}
