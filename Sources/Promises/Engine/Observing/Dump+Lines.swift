// The line of a dump for one promise.
extension Dump {
  func describeUntaken(_ promise: CellCopy, _ text: inout TextBuffer) {
    begin(promise, &text)
    text.write("rejected and unhandled; ")
    describeReferences(promise, &text)
  }

  func describe(_ promise: CellCopy, callbacks: Int, _ text: inout TextBuffer) {
    begin(promise, &text)
    text.write("pending")
    if let birth = CreationTimes.time(promise.index, id: promise.id) {
      text.write(" for ")
      text.write(seconds: now - birth)
    }
    text.write(", ")
    describeReferences(promise, &text)
    text.write(", ")
    text.write(Int64(callbacks))
    text.write(callbacks == 1 ? " callback: " : " callbacks: ")
    if promise.state.isCancelRequested { text.write("was asked to cancel, ") }
    describeSettler(promise, &text)
  }

  private func begin(_ promise: CellCopy, _ text: inout TextBuffer) {
    text.write(id: promise.id)
    text.write(" ")
  }

  private func describeReferences(_ promise: CellCopy, _ text: inout TextBuffer) {
    text.write(decimal: promise.references)
    text.write(promise.references == 1 ? " reference" : " references")
  }

  private func describeSettler(_ promise: CellCopy, _ text: inout TextBuffer) {
    if promise.reactionKind == .none { return describeOutsider(promise, &text) }
    let job = CellCopy(settler(of: promise.index)).flatMap { $0.isOf(.job) ? $0 : nil }
    guard promise.state.source != 0, let source = CellCopy(promise.state.source), source.isOf(.promise) else {
      if promise.reactionKind == .follow {
        return text.write("follows a promise that was destroyed or is being settled")
      }
      text.write(promise.reactionKind == .job ? "a callback submitted to " : "a callback that runs now")
      if promise.reactionKind == .job { describeExecutor(job, &text) }
      return
    }
    text.write(promise.reactionKind == .follow ? "follows " : promise.reactionKind == .delay ? "a delay" : "a callback")
    if promise.reactionKind == .job {
      text.write(" on ")
      describeExecutor(job, &text)
    }
    if promise.reactionKind != .follow { text.write(", after ") }
    text.write(id: source.id)
    if source.state.isSettled { return text.write(", which is settled: it is about to run") }
    describeRoot(source, &text)
  }

  /// Describes the settler of a promise that has no reaction of its own.
  private func describeOutsider(_ promise: CellCopy, _ text: inout TextBuffer) {
    if promise.meta == ReactionKind.orphan { return text.write("no settler: its source was destroyed while pending") }
    guard let settler = CellCopy(settler(of: promise.index)) else { return text.write("any holder") }
    if settler.isOf(.job) {
      let deadline = deadline(of: settler.index)
      guard deadline != 0 else { return text.write("a timer that has expired: it is about to run") }
      text.write("a timer due in ")
      text.write(seconds: max(deadline - now, 0))
    } else if settler.isOf(.other) {
      describeGather(settler, &text)
    } else {
      text.write("follows ")
      guard let source = CellCopy(settler.state.source), source.isOf(.promise) else {
        return text.write("a promise that was destroyed or is being settled")
      }
      text.write(id: source.id)
      describeRoot(source, &text)
    }
  }

  private func describeGather(_ gather: CellCopy, _ text: inout TextBuffer) {
    let mode: StaticString =
      switch Gather.Mode(rawValue: gather.state.bits & 7) {
      case .all: "all"
      case .allSettled: "all, however they end,"
      case .any: "any"
      case .race: "the first"
      default: "the first that is not cancelled"
      }
    text.write(mode)
    text.write(" of its inputs: ")
    text.write(decimal: gather.state.bits / Gather.unsettled)
    text.write(" of them are pending")
  }

  private func describeExecutor(_ job: CellCopy?, _ text: inout TextBuffer) {
    guard let job, let executor = CellCopy(job.next), executor.isOf(.executor) else { return text.write("an executor") }
    let name: StaticString =
      switch ExecutorKind(rawValue: executor.meta) {
      case .immediate: "the immediate executor "
      case .pool: "the pool "
      case .serial: "the serial executor "
      case .loop: "the loop "
      case .main: "the main executor "
      default: "the executor "
      }
    text.write(name)
    text.write(id: executor.id)
  }

  /// Describes the end of the chain of sources, if that is further upstream.
  private func describeRoot(_ source: CellCopy, _ text: inout TextBuffer) {
    var root = source
    var steps = 0
    while root.state.source != 0, !root.state.isSettled {
      guard steps < 1000, let next = CellCopy(root.state.source), next.isOf(.promise) else {
        return text.write(steps < 1000 ? "" : ", far from its root")
      }
      root = next
      steps += 1
    }
    if root.index == source.index { return }
    text.write("; at the root ")
    text.write(id: root.id)
  }
}

extension TextOutput {
  /// Writes a handle as `%p` does.
  mutating func write(id: UInt64) {
    write("0x")
    var digits = 1
    while digits < 16, id >> UInt64(digits * 4) != 0 { digits += 1 }
    write(hexadecimal: id, digits: digits)
  }

  /// Writes nanoseconds as seconds, with three decimals.
  mutating func write(seconds nanoseconds: Int64) {
    write(nanoseconds / 1_000_000_000)
    write(".")
    write(thousandths: UInt64(nanoseconds.magnitude / 1_000_000 % 1000))
    write(" s")
  }

  /// Writes three digits.
  mutating func write(thousandths number: UInt64) {
    write(UInt8(ascii: "0") + UInt8(number / 100 % 10))
    write(UInt8(ascii: "0") + UInt8(number / 10 % 10))
    write(UInt8(ascii: "0") + UInt8(number % 10))
  }
}
