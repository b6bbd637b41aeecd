/// The result of asynchronous work: pending, then fulfilled with a value or rejected with a reason, once.
///
///     let answer = Promise<Int>()
///     answer.then { $0 * 2 }.then({ print($0) }, { print("failed: \($0 ?? "for no reason")") })
///     answer.resolve(21)    // prints 42 before it returns
///
/// **Callbacks.** They run inside the call that settles the promise, in the order of attachment. The callbacks of
/// derived promises run with them, depth first. A callback attached to a settled promise runs before the attaching call
/// returns. A callback with a context (`on:`) runs in that context instead. Each is called at most once, never with a
/// lock held. It is released after it has run, or as soon as it can no longer run.
///
/// **Lifetime.** A pending promise is destroyed with its last reference, and its callbacks are released without a call.
/// Promises derived from it stay pending. A derived promise does not keep its source alive.
///
/// **Threads.** Everything may be called from any thread, any number of times, in any state. The promise is `Sendable`
/// if its value is. A reason can be of any type: its thread safety is the responsibility of the code that rejects the
/// promise. Closures need not be `Sendable`: use the state that they capture on one thread only, or protect it.
///
/// **Errors.** Settling a settled promise is a no-op, which ``PromiseHooks`` can report. Running out of memory traps,
/// as it does in Swift's own allocations.
///
/// Comments cite the clauses of the specification that this implements: `docs/specification-clauses.txt` lists them.
public class Promise<Value>: AnyPromise {
  /// The state of a promise.
  public typealias State = PromiseState
  /// The reason of a discarded promise: one type for every `Value`.
  public typealias Rejection = Discarded

  @inlinable package override init(cell: CellRef) { super.init(cell: cell) }

  /// Creates a pending promise (clause 3.3.1).
  @inlinable public init() { super.init(cell: .pending()) }

  /// Creates a pending promise and runs `block` later, on the main queue (clause 3.3.2). See `init(on:_:)`.
  ///
  /// The program must serve the main queue: by `dispatchMain()`, a run loop or an async `main`.
  public convenience init(
    _ block: consuming @escaping (_ resolve: @escaping (Value) -> (), _ reject: @escaping (Any?) -> ()) -> ()
  ) {
    self.init(cell: .pending())
    start(on: .main, consume block)
  }

  /// Creates a pending promise and runs `body` later, on the main queue: its value fulfils the promise, its error
  /// rejects it. A `CancellationError` discards the promise.
  ///
  ///     let size = Promise<Int> { try measure() }
  public convenience init(_ body: consuming @escaping () throws -> Value) {
    self.init(cell: .pending())
    PromiseContext.main.run(settling: cell, evaluating(consume body))
  }

  /// Creates a pending promise and runs `block` later, in a context (clause 3.3.2).
  ///
  /// `block` runs once, even if the promise is settled first, and never inside the initializer: `.immediate` stands for
  /// the main queue here. The first call of `resolve` or `reject` settles the promise. The promise lives at least until
  /// `block` has run and both closures are released. If the executor drops the job of `block`, the promise is rejected
  /// with a `PromiseError`.
  ///
  /// - Parameters:
  ///   - context: the context in which `block` runs.
  ///   - discard: called if the promise is discarded; see `init(discard:)`.
  ///   - block: starts the work.
  @_disfavoredOverload
  public convenience init(
    on context: PromiseContext, discard: (() -> ())? = nil,
    _ block: sending @escaping (_ resolve: @escaping (Value) -> (), _ reject: @escaping (Any?) -> ()) -> ()
  ) {
    self.init(cell: discard.map(CellRef.discardable) ?? .pending())
    start(on: context.place == .immediate ? .main : context.later, consume block)
  }

  /// Creates a pending promise and runs `block` later, on the main actor. See `init(on:discard:_:)`.
  public convenience init(
    on main: MainContext, discard: (() -> ())? = nil,
    _ block: consuming @escaping @MainActor (_ resolve: @escaping (Value) -> (), _ reject: @escaping (Any?) -> ()) -> ()
  ) {
    self.init(cell: discard.map(CellRef.discardable) ?? .pending())
    start(on: main.place, main.calling(consume block))
  }

  private func start(
    on context: PromiseContext,
    _ block: consuming @escaping (_ resolve: @escaping (Value) -> (), _ reject: @escaping (Any?) -> ()) -> ()
  ) {
    context.run(settling: cell, starting(consume block))
  }

  private func starting(
    _ block: @escaping (_ resolve: @escaping (Value) -> (), _ reject: @escaping (Any?) -> ()) -> ()
  ) -> () -> () {
    { block(self.resolve, self.reject) }
  }

  private func evaluating(_ body: @escaping () throws -> Value) -> () -> () {
    {
      do { self.resolve(try body()) } catch is CancellationError { self.discard() } catch { self.reject(error) }
    }
  }

  /// Creates a pending promise with a discard block, and runs `block` later, on the main queue. See
  /// `init(on:discard:_:)`.
  public convenience init(
    discard: @escaping () -> (),
    _ block: consuming @escaping (_ resolve: @escaping (Value) -> (), _ reject: @escaping (Any?) -> ()) -> ()
  ) {
    self.init(cell: .discardable(discard))
    start(on: .main, consume block)
  }

  /// Creates a pending promise with a discard block, which should cancel the computation of its value (clause 3.3.3).
  ///
  /// The first `discard()` of the pending promise calls `block`, on its thread, after the promise is rejected and
  /// before its callbacks run. `block` is called at most once. It is released after the call, or when the promise is
  /// settled in another way.
  ///
  /// Write the label: a closure without it is the body of the promise, if it returns a `Value`.
  @_disfavoredOverload
  public convenience init(discard block: @escaping () -> ()) {
    self.init(cell: .discardable(block))
  }

  /// Wraps a promise made through the C ABI: the same promise, not a copy. `nil` if the handle is stale.
  ///
  /// The new object takes over the caller's reference. If the promise is fulfilled with a value whose kind does not
  /// convert to `Value`, the promises derived from this one are rejected with a `PromiseError` that names both types.
  public convenience init?(adopting handle: OpaquePointer) {
    guard let cell = Token(bits: UInt64(UInt(bitPattern: handle))).cell(.promise) else { return nil }
    self.init(cell: cell)
  }

  /// The value of a fulfilled promise; `nil` if it is pending or rejected.
  ///
  /// - Thread: any.
  @inlinable public final var value: Value? {
    guard state == .fulfilled else { return nil }
    return cell.value.decoded(as: Value.self)
  }
}

// The engine counts the references of a cell itself, and cells are thread-safe. The other state that a promise gives
// access to is its value, and its reason, which can be of any type.
extension Promise: @unchecked Sendable where Value: Sendable {}

extension CellRef {
  /// Returns a pending promise; traps if memory has run out, as Swift's own allocations do.
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
