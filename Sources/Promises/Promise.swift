/// The result of work that has not ended yet: pending, then fulfilled with a value or rejected with a reason, once.
///
///     let answer = Promise<Int>()
///     answer.then { $0 * 2 }.then({ print($0) }, { print("failed: \($0 ?? "for no reason")") })
///     answer.resolve(21)    // prints 42 before it returns
///
/// Callbacks run inside the call that settles the promise, in the order in which they were attached, and with them
/// those of the derived promises, depth first. A callback attached to a settled promise runs before the attaching call
/// returns. One that is given a context (`on:`) runs there instead. Each is called at most once, never with a lock
/// held, and released when it has run or never will.
///
/// A pending promise that nobody holds any more goes, and its callbacks with it, uncalled; the promises derived from it
/// stay pending. A derived promise does not keep its source alive.
///
/// Everything may be called from any thread, any number of times, in any state. The promise is `Sendable` where its
/// value is; closures are not required to be, so keep what they touch on one thread or protect it.
///
/// Implements `promise-specification.md`; comments cite its clauses.
public class Promise<Value>: AnyPromise {
  /// Where a promise is.
  public typealias State = PromiseState
  /// The reason of a discarded promise: one type, whatever the promise's.
  public typealias Rejection = Discarded

  @inlinable package override init(cell: CellRef) { super.init(cell: cell) }

  /// Creates a pending promise (clause 3.3.1).
  @inlinable public init() { super.init(cell: .pending()) }

  /// Creates a pending promise and runs `block` later, on the main queue (clause 3.3.2). See `init(on:_:)`.
  ///
  /// The main queue has to be served: by `dispatchMain()`, a run loop or an async `main`.
  public convenience init(
    _ block: @escaping (_ resolve: @escaping (Value) -> (), _ reject: @escaping (Any?) -> ()) -> ()
  ) {
    self.init(on: .main, block)
  }

  /// Creates a pending promise and runs `block` later, in a context (clause 3.3.2).
  ///
  /// `block` runs once, whatever becomes of the promise, and never inside the initializer: `.immediate` stands for the
  /// main queue here. The promise lives at least until `block` has run and has let go of `resolve` and `reject`, which
  /// settle the promise the first time one of them is called.
  ///
  /// - Parameters:
  ///   - context: where `block` runs.
  ///   - discard: called if the promise is discarded; see `init(discard:)`.
  ///   - block: starts the work.
  public convenience init(
    on context: PromiseContext, discard: (() -> ())? = nil,
    _ block: @escaping (_ resolve: @escaping (Value) -> (), _ reject: @escaping (Any?) -> ()) -> ()
  ) {
    self.init(cell: discard.map(CellRef.discardable) ?? .pending())
    (context.place == .immediate ? .main : context.later).run { block(self.resolve, self.reject) }
  }

  /// Creates a pending promise with a discard block, and runs `block` later, on the main queue. See
  /// `init(on:discard:_:)`.
  public convenience init(
    discard: @escaping () -> (),
    _ block: @escaping (_ resolve: @escaping (Value) -> (), _ reject: @escaping (Any?) -> ()) -> ()
  ) {
    self.init(on: .main, discard: discard, block)
  }

  /// Creates a pending promise with a discard block, which should cancel the computation of its value (clause 3.3.3).
  ///
  /// `block` is called at most once, by the first `discard()` that finds the promise pending, on its thread, after the
  /// promise is rejected and before its callbacks run. It is released then, or when the promise is settled otherwise.
  public convenience init(discard block: @escaping () -> ()) {
    self.init(cell: .discardable(block))
  }

  /// Takes over a reference to a promise made through the C ABI: the same promise, not a copy. `nil` if the handle is
  /// stale.
  ///
  /// A value whose kind does not fit `Value` rejects the promises derived from this one, with a `PromiseError` that
  /// says so.
  public convenience init?(adopting handle: OpaquePointer) {
    guard let cell = Token(bits: UInt64(UInt(bitPattern: handle))).cell(.promise) else { return nil }
    self.init(cell: cell)
  }

  /// The value of a fulfilled promise; `nil` while it is pending or when it was rejected.
  ///
  /// - Thread: any.
  @inlinable public final var value: Value? {
    guard state == .fulfilled else { return nil }
    return cell.value.decoded(as: Value.self)
  }
}

// The engine's references are counted by hand, and its cells are made to be used from several threads. What a promise
// gives access to beyond them is its value.
extension Promise: @unchecked Sendable where Value: Sendable {}

extension CellRef {
  /// A pending promise, for a caller that cannot go on without memory - as Swift itself cannot.
  @usableFromInline static func pending() -> CellRef {
    guard let cell = CellRef.promise() else { fatalError("no memory for a promise") }
    return cell
  }

  static func discardable(_ block: @escaping () -> ()) -> CellRef {
    guard let made = unsafe CellRef.discardable(Context.call, Context(block)) else {
      fatalError("no memory for a promise")
    }
    return made
  }
}
