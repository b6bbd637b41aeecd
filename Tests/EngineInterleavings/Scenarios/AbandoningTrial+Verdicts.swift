// Invariants of every run, in any schedule.
extension AbandoningTrial {
  func violations() -> [String] {
    var wrong: [String] = []
    func expect(_ isTrue: Bool, _ words: String) { if !isTrue { wrong.append(words) } }

    for (name, notes) in [("handler", handlers), ("bystander", bystanders), ("listener", listeners)] {
      for note in notes {
        expect(note.frees == 1, "the context of a \(name) was freed \(note.frees) times")
        expect(!note.isCalledLate, "a \(name) was called with a freed context")
      }
    }
    let calledBystanders = program.event == .releases ? [] : [Self.value]
    for note in bystanders { expect(note.calls == calledBystanders, "a bystander was called with \(note.calls)") }
    checkHandlers(expect)
    checkListeners(expect)

    // A promise with an observer is not abandoned.
    let isKept = program.event == .listens
    expect(freesBefore == (isKept ? 0 : handlers.count), "\(freesBefore) of \(handlers.count) contexts freed in time")
    expect(lateFrees == 0, "a context outlived the call that settled its promise")
    let waiting = program.event.settlesSource || program.event == .releases ? 0 : bystanders.count + (isKept ? 1 : 0)
    expect(waitingBefore == waiting, "\(waitingBefore) reactions waited, not \(waiting)")
    return wrong
  }

  /// A handler runs if its promise was not abandoned, or if the source was settled first.
  private func checkHandlers(_ expect: (Bool, String) -> Void) {
    for note in handlers {
      let isAllowed =
        switch program.event {
        case .settles, .settlesAndReleases: note.calls.isEmpty || note.calls == [Self.value]
        case .listens: note.calls == [Self.value]
        default: note.calls.isEmpty
        }
      expect(isAllowed, "a handler was called with \(note.calls)")
    }
  }

  /// An observer of a derived promise receives exactly one outcome.
  private func checkListeners(_ expect: (Bool, String) -> Void) {
    let ofSource = program.way == .drop ? Self.value : Self.value + Self.added
    let ofThread = program.way == .settle ? Self.outside : Self.discarded
    for note in listeners {
      let isAllowed =
        switch program.event {
        case .listens: note.calls == [ofSource]
        case .settles, .settlesAndReleases: note.calls == [ofSource] || note.calls == [ofThread]
        default: note.calls == [ofThread]
        }
      expect(isAllowed, "a listener was called with \(note.calls)")
    }
  }
}
