// The one way to a promise made of many: the engine's gather, with what combines their values in Swift's types.

/// Which of them decides, and what it becomes when none does alone.
@safe
struct Combining {
  let mode: Gather.Mode
  /// Whether those that did not decide are asked to cancel.
  var cancelsOthers = false
  let combine: Gather.Combine

  /// A promise made of those, as a reference of the caller's.
  func promise(of cells: [CellRef]) -> CellRef {
    let made = unsafe Gather.promise(
      of: { cells[$0] }, count: cells.count, mode, cancelsOthers: cancelsOthers, combine: combine)
    guard let made else { fatalError("no memory to combine promises") }
    return made
  }

  /// The first that is rejected or cancelled, or else what `values` makes of all values in order.
  static func all<Combined>(
    cancelsOthers: Bool, _ values: @escaping (inout CombinedValues) throws -> Combined
  ) -> Combining {
    unsafe Combining(mode: .all, cancelsOthers: cancelsOthers) { entries, _, out in
      var reader = unsafe CombinedValues(entries: entries)
      do {
        out = .encoding(try values(&reader))
        return .fulfilled
      } catch {
        out = .encoding(reason: error)
        return .rejected
      }
    }
  }

  /// The first that the mode lets decide, or else the last to end.
  static func one(_ mode: Gather.Mode, cancelsOthers: Bool) -> Combining {
    unsafe Combining(mode: mode, cancelsOthers: cancelsOthers) { entries, last, out in
      guard last >= 0, unsafe entries[last].value.retain() else {
        out = CellValue(kind: .discarded)
        return .rejected
      }
      out = unsafe entries[last].value
      return unsafe entries[last].isRejected ? .rejected : .fulfilled
    }
  }
}

/// Reads the values of promises that are all fulfilled, one after the other.
@safe
struct CombinedValues {
  private let entries: UnsafeBufferPointer<Gather.Entry>
  private var index = 0

  init(entries: UnsafeBufferPointer<Gather.Entry>) { unsafe self.entries = unsafe entries }

  /// The next value; throws if another language left one of another type.
  mutating func next<Value>(_ type: Value.Type) throws -> Value {
    defer { index += 1 }
    return unsafe try entries[index].value.required(as: Value.self)
  }

  mutating func rest<Value>(_ type: Value.Type) throws -> [Value] {
    unsafe try entries.map { try $0.value.required(as: Value.self) }
  }
}
