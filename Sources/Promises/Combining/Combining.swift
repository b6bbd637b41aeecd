// Combines many promises into one: the engine's gather, with a closure that combines the values as Swift types.

/// The rule by which a combined promise is settled: the input that decides, and the outcome if no single input decides.
@safe
struct Combining {
  let mode: Gather.Mode
  /// Whether the other inputs are asked to cancel once one has decided.
  var cancelsOthers = false
  let combine: Gather.Combine

  /// Returns a promise that combines the cells. The caller owns the reference.
  func promise(of cells: [CellRef]) -> CellRef {
    let made = unsafe Gather.promise(
      of: { cells[$0] }, count: cells.count, mode, cancelsOthers: cancelsOthers, combine: combine)
    guard let made else { fatalError("no memory to combine promises") }
    for cell in cells { cell.noteReader() }
    return made
  }

  /// Makes a rule that settles with the first rejection or cancellation; otherwise with the result of `values`, which
  /// reads all values in order.
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

  /// Makes a rule that settles with the first outcome that the mode accepts; otherwise with the outcome of the input
  /// that settled last.
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

/// Reads the values of fulfilled promises, one after the other.
@safe
struct CombinedValues {
  private let entries: UnsafeBufferPointer<Gather.Entry>
  private var index = 0

  init(entries: UnsafeBufferPointer<Gather.Entry>) { unsafe self.entries = unsafe entries }

  /// Returns the next value.
  ///
  /// - Throws: `PromiseError` if another language settled that promise with a value of another type.
  mutating func next<Value>(_ type: Value.Type) throws -> Value {
    defer { index += 1 }
    return unsafe try entries[index].value.required(as: Value.self)
  }

  mutating func rest<Value>(_ type: Value.Type) throws -> [Value] {
    unsafe try entries.map { try $0.value.required(as: Value.self) }
  }
}
