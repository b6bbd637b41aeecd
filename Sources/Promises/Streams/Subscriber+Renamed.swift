// The names that other libraries have for operators. Here an operator's name says whether it is for values, for errors
// or for both; the compiler's message names the operator for values.
extension Subscriber {
  /// Unavailable: use `mapValues(_:)`, `mapErrors(_:)` or `mapStates(_:)`.
  @available(*, unavailable, renamed: "mapValues(_:)")
  public func map<NewValue>(_ transform: @escaping (Value) -> NewValue) -> Subscriber<NewValue, Failure> {
    fatalError("unavailable")
  }

  /// Unavailable: use `compactMapValues(_:)`, `compactMapErrors(_:)` or `compactMapStates(_:)`.
  @available(*, unavailable, renamed: "compactMapValues(_:)")
  public func compactMap<NewValue>(_ transform: @escaping (Value) -> NewValue?) -> Subscriber<NewValue, Failure> {
    fatalError("unavailable")
  }

  /// Unavailable: use `filterValues(_:)`, `filterErrors(_:)` or `filterStates(_:)`.
  @available(*, unavailable, renamed: "filterValues(_:)")
  public func filter(_ isIncluded: @escaping (Value) -> Bool) -> Subscriber { fatalError("unavailable") }

  /// Unavailable: use `onNewData(_:)`.
  @available(*, unavailable, renamed: "onNewData(_:)")
  public func onNext(_ callback: @escaping (Value) -> Void) -> Subscriber { fatalError("unavailable") }
}
