// The closures that the engine runs for the operators. First the transformations, whose callbacks may throw: the error
// rejects the new future.
extension Future {
  @inlinable static func mapping<NewValue>(_ transform: @escaping (Value) throws -> NewValue) -> Closure {
    Reactions.onValue(of: Future.self) { value, out in out.attempt { try $0.leave(transform(value)) } }
  }

  @inlinable
  static func flatMapping<NewValue, E>(_ transform: @escaping (Value) throws -> Future<NewValue, E>) -> Closure {
    Reactions.onValue(of: Future.self) { value, out in out.attempt { try $0.leave(following: transform(value)) } }
  }

  @inlinable static func mappingError<E>(_ transform: @escaping (Failure) throws -> E) -> Closure {
    Reactions.onError(of: Future.self) { error, out in out.attempt { try $0.leave(error: transform(error)) } }
  }

  @inlinable static func flatMappingError<E>(_ transform: @escaping (Failure) throws -> Future<Value, E>) -> Closure {
    Reactions.onError(of: Future.self) { error, out in out.attempt { try $0.leave(following: transform(error)) } }
  }

  @inlinable static func replacingError(_ transform: @escaping (Failure) throws -> Value) -> Closure {
    Reactions.onError(of: Future.self) { error, out in out.attempt { try $0.leave(transform(error)) } }
  }

  @inlinable static func mappingResult<NewValue, E>(
    _ transform: @escaping (FutureResult<Value, Failure>) throws -> FutureResult<NewValue, E>
  ) -> Closure {
    Reactions.onResult(of: Future.self) { result, out in out.attempt { try $0.leave(result: transform(result)) } }
  }

  @inlinable static func flatMappingResult<NewValue, E>(
    _ transform: @escaping (FutureResult<Value, Failure>) throws -> Future<NewValue, E>
  ) -> Closure {
    Reactions.onResult(of: Future.self) { result, out in out.attempt { try $0.leave(following: transform(result)) } }
  }
}

// The observers. Their verdict is `.pass` if they settle a future, else `.leave`.
extension Future {
  /// Returns a closure that observes values. An error that the callback throws becomes the outcome.
  @inlinable
  static func observingValue(_ callback: @escaping (Value) throws -> Void, _ verdict: Verdict = .pass) -> Closure {
    Reactions.onValue(of: Future.self) { value, out in
      out.attempt { _ in
        try callback(value)
        return verdict
      }
    }
  }

  @inlinable
  static func observingError(_ callback: @escaping (Failure) -> Void, _ verdict: Verdict = .pass) -> Closure {
    Reactions.onError(of: Future.self) { error, _ in
      callback(error)
      return verdict
    }
  }

  @inlinable static func observingError<E>(of type: E.Type, _ callback: @escaping (E) -> Void) -> Closure {
    observingError { error in
      if let error = error as? E { callback(error) }
    }
  }

  @inlinable static func observingCancellation(_ callback: @escaping ((any Error)?) -> Void) -> Closure {
    Reactions.onCancellation(of: Future.self, callback)
  }

  @inlinable static func observingResult(
    _ callback: @escaping (FutureResult<Value, Failure>) -> Void, _ verdict: Verdict = .pass
  ) -> Closure {
    Reactions.onResult(of: Future.self) { result, _ in
      callback(result)
      return verdict
    }
  }
}

extension Future where Failure: Error {
  @inlinable static func observingAnyError(
    _ includingIndirectErrors: Bool, _ callback: @escaping (any Error) -> Void
  ) -> Closure {
    Reactions.onAnyError(of: Future.self, includingIndirectErrors: includingIndirectErrors) { error, _ in
      callback(error)
      return .leave
    }
  }
}

extension Job.OutcomeSet {
  @usableFromInline static func anyError(_ includingIndirectErrors: Bool) -> Job.OutcomeSet {
    includingIndirectErrors ? .failed | .discardedWithCause : .failed
  }
}
