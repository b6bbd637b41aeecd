import Dispatch

/// An executor of the engine that wraps a queue or a user's executor. Contexts share it and keep it alive.
final class HeldExecutor: Sendable {
  /// The wrapped object.
  enum Object: Sendable {
    case queue(DispatchQueue)
    case executor(any PromiseExecutor)
    /// Submits jobs to another executor, or runs them inline.
    case standIn(any AnyObject & Sendable)
  }

  let object: Object
  let cell: CellExecutor

  init(_ queue: DispatchQueue) {
    object = .queue(queue)
    cell = unsafe .making(queue) { queue, job in
      let job = unsafe PromiseJob(job)
      unsafe Unmanaged<DispatchQueue>.fromOpaque(queue!).takeUnretainedValue().async { job.run() }
    }
  }

  init(_ executor: any PromiseExecutor) {
    object = .executor(executor)
    cell = unsafe .making(executor) { executor, job in
      let executor = unsafe Unmanaged<AnyObject>.fromOpaque(executor!).takeUnretainedValue()
      unsafe (executor as! any PromiseExecutor).submit(PromiseJob(job))
    }
  }

  init(_ object: any AnyObject & Sendable, standingFor target: CellExecutor, _ submit: CellExecutor.Submit) {
    self.object = .standIn(object)
    cell = unsafe .making(object, submit)
    cell.standsFor(target)
  }

  deinit { cell.ref.release() }
}

extension HeldExecutor: Hashable, CustomStringConvertible {
  /// The identity of the wrapped object: equal for two wrappers with the same behaviour.
  struct Identity: Hashable {
    fileprivate let role: UInt8
    fileprivate let address: UInt
  }

  /// Runs code of the user's executor.
  var identity: Identity {
    switch object {
    case .queue(let queue): Identity(role: 0, address: queue.address)
    case .executor(let executor): Identity(role: 1, address: address(of: executor.identity))
    case .standIn(let object): Identity(role: 2, address: address(of: object))
    }
  }

  static func == (one: HeldExecutor, other: HeldExecutor) -> Bool { one.identity == other.identity }
  func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  var description: String {
    switch object {
    case .queue(let queue): ".queue(\(queue.label))"
    case .executor(let executor): ".executor(\(type(of: executor)))"
    case .standIn: ".current"
    }
  }
}

private func address(of object: AnyObject) -> UInt { UInt(bitPattern: ObjectIdentifier(object)) }

extension DispatchQueue {
  /// The identity of the queue. On Linux a `DispatchQueue` is an object around the queue, and `main` and `global()`
  /// make a new one each time.
  fileprivate var address: UInt {
    let wrapped = unsafe Mirror(reflecting: self).children.first { $0.label == "__wrapped" }?.value as? OpaquePointer
    return unsafe wrapped.map { UInt(bitPattern: $0) } ?? Promises.address(of: self)
  }
}

extension CellExecutor {
  /// Makes an executor that retains `object` as its context.
  static func making(_ object: AnyObject, _ submit: Submit) -> CellExecutor {
    unsafe making(Context(owning: object), submit)
  }

  static func making(_ context: Context, _ submit: Submit) -> CellExecutor {
    guard let executor = unsafe make(submit, context) else { fatalError("no memory for an executor") }
    return executor
  }
}
