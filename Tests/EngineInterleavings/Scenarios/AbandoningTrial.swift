/// One run of a program that abandons derived promises while their source is pending.
///
/// The first thread abandons `derived`. A bystander is attached to the same source: it must be called once, and is not
/// otherwise affected. After the threads have ended, the source is settled if it still exists.
final class AbandoningTrial: Explorable {
  /// The ways to abandon a derived promise.
  enum Way {
    /// Settles or discards it; a callback observes the outcome.
    case settle, discard
    /// Requests its cancellation and releases it.
    case leave
    /// Requests its cancellation and releases it, while it follows another derived promise that has no other reference.
    case leaveChain
    /// Releases it while it follows the source.
    case drop

    var settles: Bool { self == .settle || self == .discard }
  }

  /// The concurrent action of the second thread.
  enum Event: CaseIterable {
    /// Settles the source, attaches another bystander to it, or releases its last reference.
    case settles, attaches, releases
    /// Settles the source; the bystander releases the last reference in its callback.
    case settlesAndReleases
    /// Abandons a sibling of the derived promise in the same way.
    case abandons
    /// Releases another reference to the derived promise; in the second case, after attaching a callback.
    case letsGo, listens

    var settlesSource: Bool { self == .settles || self == .settlesAndReleases }
    var releasesSource: Bool { self == .releases || self == .settlesAndReleases }
  }

  struct Program: CustomStringConvertible {
    var way: Way
    var event: Event
    /// Abandons so many reactions first that the next one triggers a sweep of the source's list.
    var isCrowded = false

    var description: String { "\(way) while the other \(event)\(isCrowded ? ", crowded" : "")" }
  }

  static var programs: [Program] {
    var all: [Program] = []
    for event in Event.allCases {
      if event != .letsGo && event != .listens {
        for way in [Way.settle, .discard] { all.append(Program(way: way, event: event)) }
      }
      for way in [Way.leave, .leaveChain, .drop] { all.append(Program(way: way, event: event)) }
    }
    return all + [.settles, .attaches, .releases].map { Program(way: .settle, event: $0, isCrowded: true) }
  }

  /// The record of one callback or handler: the values passed to it, and the number of times its context was freed.
  final class Note {
    var calls: [UInt64] = []
    var frees = 0
    var isCalledLate = false
    /// A reference that the callback releases.
    var last: CellRef?

    var context: Context { unsafe Context(Unmanaged.passUnretained(self).toOpaque(), { Note.at($0).frees += 1 }) }

    static func at(_ context: UnsafeMutableRawPointer?) -> Note {
      unsafe Unmanaged<Note>.fromOpaque(context!).takeUnretainedValue()
    }

    static func call(_ context: UnsafeMutableRawPointer?, _ value: UnsafeRawPointer) -> UInt64 {
      let note = at(context)
      let value = unsafe value.load(as: CellValue.self)
      let bits = value.kind == ValueKind.discarded.rawValue ? AbandoningTrial.discarded : value.bits
      note.calls.append(bits)
      if note.frees > 0 { note.isCalledLate = true }
      note.last?.release()
      return bits
    }
  }

  /// The source's value, the handler's increment, the value of an external settlement, and the mark for discarded.
  static let value: UInt64 = 1
  static let added: UInt64 = 100
  static let outside: UInt64 = 7
  static let discarded: UInt64 = 99

  let program: Program
  private(set) var handlers: [Note] = []
  private(set) var bystanders: [Note] = []
  private(set) var listeners: [Note] = []
  /// Handlers whose contexts still existed after their promises had been settled, with the source pending.
  private(set) var lateFrees = 0
  /// Counts taken when the threads had ended: freed contexts of handlers, and pending reactions.
  private(set) var freesBefore = 0
  private(set) var waitingBefore = 0
  private let source = CellRef.promise()!
  private var derived: CellRef!
  private var sibling: CellRef?

  init(_ program: Program) {
    self.program = program
    let others = program.isCrowded ? (0..<15).map { _ in source.follower()! } : []
    if program.isCrowded { derived = derive() }
    bystanders.append(listen(source))
    if program.event == .settlesAndReleases { bystanders[0].last = source }
    if program.event == .abandons { sibling = derive() }
    if !program.isCrowded { derived = derive() }
    for other in others { other.release() }
    if program.event == .letsGo || program.event == .listens { _ = derived.retain() }
  }

  private func derive() -> CellRef {
    let promise: CellRef
    switch program.way {
    case .drop: promise = source.follower()!
    case .leaveChain:
      let middle = then()
      promise = middle.follower()!
      middle.release()
    default: promise = then()
    }
    if program.way.settles { listeners.append(listen(promise)) }
    return promise
  }

  private func then() -> CellRef {
    let note = Note()
    handlers.append(note)
    return unsafe source.then(
      { context, value, out in
        let bits = unsafe Note.call(context, value) + AbandoningTrial.added
        unsafe out.storeBytes(of: CellValue(kind: .u64, bits: bits), as: CellValue.self)
        return Verdict.fulfill.rawValue
      }, note.context)!.ref
  }

  private func listen(_ promise: CellRef) -> Note {
    let note = Note()
    let call: Observer = { _ = unsafe Note.call($0, $1) }
    _ = unsafe promise.observe(call, call, note.context)
    return note
  }

  private func abandon(_ promise: CellRef, _ index: Int) {
    switch program.way {
    case .settle: note(promise.settle(CellValue(kind: .u64, bits: Self.outside), .fulfilled), index)
    case .discard: note(promise.discard(), index)
    case .leave, .leaveChain: promise.requestCancel()
    case .drop: break
    }
    promise.release()
  }

  /// A call that settles a derived promise while its source is pending frees the context before it returns.
  private func note(_ status: SettleStatus, _ index: Int) {
    Scheduler.locks += 1
    defer { Scheduler.locks -= 1 }
    guard status == .settled, program.event == .attaches || program.event == .abandons else { return }
    if handlers[index].frees == 0 { lateFrees += 1 }
  }

  var bodies: [() -> Void] {
    let abandons = { self.abandon(self.derived, self.handlers.count - 1) }
    switch program.event {
    case .settles, .settlesAndReleases: return [abandons, { self.settle() }]
    case .attaches: return [abandons, { self.bystanders.append(self.listen(self.source)) }]
    case .releases: return [abandons, { self.source.release() }]
    case .abandons: return [abandons, { self.abandon(self.sibling!, 0) }]
    case .letsGo: return [abandons, { self.derived.release() }]
    case .listens:
      return [
        abandons,
        {
          self.listeners.append(self.listen(self.derived))
          self.derived.release()
        },
      ]
    }
  }

  private func settle() { _ = source.settle(CellValue(kind: .u64, bits: Self.value), .fulfilled) }

  func end() {
    freesBefore = handlers.reduce(0) { $0 + $1.frees }
    guard !program.event.releasesSource else { return }
    if !program.event.settlesSource {
      var next = source.state.head
      while next != 0 {
        let reaction = CellRef(index: next)
        next = unsafe reaction.cell.pointee.next
        if reaction.reactionKind != .detached { waitingBefore += 1 }
      }
      settle()
    }
    source.release()
  }
}
