// The names that other libraries have for operators. Here an operator's name says whether it is for values, for errors
// or for both; the compiler's message names the operator for values. This library uses none of these names, so the type
// checker tries no more overloads for the operators that exist.
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

  /// Unavailable: use `onNewData(_:)`, and `onCancelled(_:)` for the end.
  @available(*, unavailable, renamed: "onNewData(_:)")
  public func sink(receiveValue: @escaping (Value) -> Void) -> Subscriber { fatalError("unavailable") }

  /// Unavailable: use `flatMapValues(_:_:)`.
  @available(*, unavailable, renamed: "flatMapValues(_:_:)")
  public func flatMap<NewValue>(
    _ transform: @escaping (Value) -> Subscriber<NewValue, Failure>
  ) -> Subscriber<NewValue, Failure> {
    fatalError("unavailable")
  }

  /// Unavailable: use `distinctValues()`.
  @available(*, unavailable, renamed: "distinctValues()")
  public func removeDuplicates() -> Subscriber { fatalError("unavailable") }

  /// Unavailable: use `prefix(_:)`.
  @available(*, unavailable, renamed: "prefix(_:)")
  public func take(_ count: Int) -> Subscriber { fatalError("unavailable") }

  /// Unavailable: use `buffer(_:)`.
  @available(*, unavailable, renamed: "buffer(_:)")
  public func collect(_ count: Int) -> Subscriber<[Value], Failure> { fatalError("unavailable") }

  /// Unavailable: use `startWith(_:)`.
  @available(*, unavailable, renamed: "startWith(_:)")
  public func prepend(_ value: Value) -> Subscriber { fatalError("unavailable") }

  /// Unavailable: use `combineWith(_:until:)`.
  @available(*, unavailable, renamed: "combineWith(_:until:)")
  public func combineLatest<Other>(
    _ other: Subscriber<Other, Failure>
  ) -> Subscriber<(Value, Other), Failure> {
    fatalError("unavailable")
  }

  /// Unavailable: every stream is shared.
  @available(*, unavailable, message: "every stream is shared: keep the subscriber, and derive from it again")
  public func share() -> Subscriber { fatalError("unavailable") }

  /// Unavailable: callbacks have contexts.
  @available(*, unavailable, message: "give the callback a context instead: onNewData(on: .main) { ... }")
  public func receive(on context: PromiseContext) -> Subscriber { fatalError("unavailable") }

  /// Unavailable: use `splitMapErrors(_:)`.
  @available(*, unavailable, message: "use splitMapErrors { _ in .data(value) }")
  public func replaceError(with value: Value) -> Subscriber { fatalError("unavailable") }
}
