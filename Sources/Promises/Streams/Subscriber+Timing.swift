// Operators on the times of states. Timers are those of a clock, the system's unless one is given. The end of the
// source publishes the pending state, then ends the derived stream. A state may be published on the thread of the
// clock, unchecked: the program must not use an object that is not `Sendable` elsewhere meanwhile (decision 0014).
extension Subscriber {
  /// Publishes a state when no other state followed it for `interval`.
  public func debounce(for interval: Duration, clock: any StreamClock = SystemStreamClock()) -> Subscriber {
    let stage = TimedStage(interval, clock)
    return derive { input, target in
      switch input {
      case .event(let event):
        stage.keep(event, for: target)
        stage.start(for: target) { _, _, _ in }
      case .end(let ending):
        stage.flush(to: target)
        _ = target.end(ending.copy())
      }
    }
  }

  /// Publishes at most one state in each `interval`: the first at once, then, at the end of an interval, the latest one
  /// that arrived in it. With `latest` false, the states that arrive in an interval are dropped.
  public func throttle(
    for interval: Duration, latest: Bool = true, clock: any StreamClock = SystemStreamClock()
  ) -> Subscriber {
    let stage = TimedStage(interval, clock)
    return derive { input, target in
      switch input {
      case .event(let event):
        guard !stage.keepInInterval(event, latest: latest, for: target) else { return }
        _ = target.publish(event)
        stage.startIntervals(for: target)
      case .end(let ending):
        stage.flush(to: target)
        _ = target.end(ending.copy())
      }
    }
  }

  /// Publishes `error` and ends when no state has arrived for `interval`.
  public func timeout(
    after interval: Duration, error: Failure, clock: any StreamClock = SystemStreamClock()
  ) -> Subscriber {
    let stage = TimedStage(interval, clock)
    nonisolated(unsafe) let error = error
    func start(_ target: CellPublisher) {
      stage.start(for: target) { _, target, _ in
        guard let event = unsafe State.error(error).stored else { return }
        _ = target.publish(event)
        _ = target.end(.cancelled)
      }
    }
    let derived = derive { input, target in
      switch input {
      case .event(let event):
        start(target)
        _ = target.publish(event)
      case .end(let ending): _ = target.end(ending.copy())
      }
    }
    start(derived.node.cell)
    return derived
  }

  private func derive(_ function: @escaping Stage.Function) -> Subscriber {
    log.note(.operators, "-> \(Subscriber.self)")
    return Subscriber(node: node.derived(byFunction: function))
  }
}
