/// Returns a promise of all values, in the order of the inputs. It is rejected as soon as one input is, with its
/// reason. It is already settled on return if the inputs allow it.
public func when<Value>(fulfilled promises: [Promise<Value>]) -> Promise<[Value]> {
  let all = Combining.all(cancelsOthers: false) { try $0.rest(Value.self) }
  return Promise<[Value]>(cell: all.promise(of: promises.map(\.cell)))
}

/// Returns a promise of the values of promises of different types, as a tuple. See the form that takes an array.
public func when<each Value>(fulfilled promises: repeat Promise<each Value>) -> Promise<(repeat each Value)> {
  var cells: [CellRef] = []
  repeat cells.append((each promises).cell)
  let all = Combining.all(cancelsOthers: false) { values in
    (repeat try values.next((each Value).self))
  }
  let tuple = Promise<(repeat each Value)>(cell: all.promise(of: cells))
  repeat withExtendedLifetime(each promises) {}
  return tuple
}

extension Promise {
  /// Returns a promise of the first value. If no input is fulfilled, it is rejected with the reason of the input that
  /// settled last; without inputs it is discarded.
  public static func any(_ promises: [Promise]) -> Promise {
    Promise(cell: Combining.one(.any, cancelsOthers: false).promise(of: promises.map(\.cell)))
  }

  /// Returns a promise with the outcome of the first input that settles. Without inputs it is discarded.
  public static func race(_ promises: [Promise]) -> Promise {
    Promise(cell: Combining.one(.race, cancelsOthers: false).promise(of: promises.map(\.cell)))
  }

  /// Returns a promise of the inputs, fulfilled when all of them are settled. An input that was released before that is
  /// replaced by a promise with its outcome.
  public static func allSettled(_ promises: [Promise]) -> Promise<[Promise]> {
    // Weak: an input keeps the closure, and would keep itself.
    let inputs = promises.map { WeakCell($0.cell) }
    let all = unsafe Combining(mode: .allSettled) { entries, _, out in
      let settled = unsafe zip(inputs, entries).map { input, entry in
        Promise(cell: input.strong() ?? .settled(like: entry))
      }
      out = .encoding(settled)
      return .fulfilled
    }
    return Promise<[Promise]>(cell: all.promise(of: promises.map(\.cell)))
  }
}

extension CellRef {
  /// Returns a promise with the outcome of an input, whose rejection is handled.
  fileprivate static func settled(like entry: Gather.Entry) -> CellRef {
    guard entry.value.retain() else { fatalError("too many references to a value") }
    let cell = settled(entry.value, entry.isRejected ? .rejected : .fulfilled)
    _ = cell.seenState
    return cell
  }
}
