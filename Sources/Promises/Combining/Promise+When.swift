/// A promise of the values of all, in their order; rejected at once with the reason of the first that is rejected. It is
/// settled on return if that is known.
public func when<Value>(fulfilled promises: [Promise<Value>]) -> Promise<[Value]> {
  let all = Combining.all(cancelsOthers: false) { try $0.rest(Value.self) }
  return Promise<[Value]>(cell: all.promise(of: promises.map(\.cell)))
}

/// The same for promises of different values: a tuple.
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
  /// A promise of the first value that one of them has; if none has, rejected with the last reason.
  public static func any(_ promises: [Promise]) -> Promise {
    Promise(cell: Combining.one(.any, cancelsOthers: false).promise(of: promises.map(\.cell)))
  }

  /// A promise that ends as the first of them that ends, whichever way; of none, it is discarded.
  public static func race(_ promises: [Promise]) -> Promise {
    Promise(cell: Combining.one(.race, cancelsOthers: false).promise(of: promises.map(\.cell)))
  }

  /// The promises themselves once all of them are settled.
  public static func allSettled(_ promises: [Promise]) -> Promise<[Promise]> {
    let all = unsafe Combining(mode: .allSettled) { _, _, out in
      out = .encoding(promises)
      return .fulfilled
    }
    return Promise<[Promise]>(cell: all.promise(of: promises.map(\.cell)))
  }
}
