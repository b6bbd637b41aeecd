/// The states of a stream for `for await`, from the call of `states(buffer:)` on.
///
/// The sequence ends with the stream, and when the iterating task is cancelled; then it ends for all its iterators.
/// States wait in the buffer of the sequence until they are asked for. Several iterators share the states: each is
/// delivered once.
public struct StreamStates<Value: Sendable, StreamFailure: Sendable>: AsyncSequence, Sendable {
  /// A value or an error.
  public typealias Element = StreamState<Value, StreamFailure>

  private let puller: StreamPuller<Value, StreamFailure>

  fileprivate init(_ puller: StreamPuller<Value, StreamFailure>) { self.puller = puller }

  /// Returns an iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(puller: puller) }

  /// Asks for one state after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let puller: StreamPuller<Value, StreamFailure>

    /// Returns the next state; `nil` at the end.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
      await puller.next(isolation: actor)
    }
  }
}

/// The values of a stream for `for try await`, from the call of `values(buffer:)` on: as ``StreamStates``, but the
/// first error is thrown and ends the sequence.
public struct StreamValues<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// A value.
  public typealias Element = Value

  private let puller: StreamPuller<Value, Failure>

  fileprivate init(_ puller: StreamPuller<Value, Failure>) { self.puller = puller }

  /// Returns an iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(puller: puller) }

  /// Asks for one value after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let puller: StreamPuller<Value, Failure>

    /// Returns the next value; `nil` at the end.
    ///
    /// - Throws: the first error of the stream.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Value? {
      switch await puller.next(isolation: actor) {
      case .data(let value): return value
      case .error(let error):
        puller.stop()
        throw error
      case .cancelled, nil: return nil
      }
    }
  }
}

extension Subscriber where Value: Sendable, Failure: Sendable {
  /// Returns the states from now on as an asynchronous sequence, which keeps this subscriber.
  public func states(buffer: StreamBuffer = .unbounded) -> StreamStates<Value, Failure> {
    StreamStates(StreamPuller(node, buffer))
  }
}

extension Subscriber where Value: Sendable, Failure: Error {
  /// Returns the values from now on as an asynchronous sequence, which keeps this subscriber and throws the first
  /// error.
  public func values(buffer: StreamBuffer = .unbounded) -> StreamValues<Value, Failure> {
    StreamValues(StreamPuller(node, buffer))
  }
}

extension Publisher where Value: Sendable, Failure: Error {
  /// Publishes the elements of a sequence, and waits while a subscriber is full. The error of the sequence is
  /// published.
  ///
  /// Returns at the end of the sequence, which leaves the stream open, or when the task is cancelled. After the end of
  /// the stream it returns with the next element, which is dropped: if the sequence may be idle, cancel the task too.
  /// The call keeps the publisher, so releasing it elsewhere does not end the stream.
  public final nonisolated(nonsending) func publish<Elements: AsyncSequence>(
    contentsOf elements: Elements
  ) async where Elements.Element == Value, Elements.Failure == Failure {
    do { try await publish(each: elements) } catch { publish(error: error) }
  }

  /// Publishes the elements of a sequence that does not throw. See `publish(contentsOf:)`.
  @_disfavoredOverload
  public final nonisolated(nonsending) func publish<Elements: AsyncSequence>(
    contentsOf elements: Elements
  ) async where Elements.Element == Value, Elements.Failure == Never {
    await publish(each: elements)
  }

  private final nonisolated(nonsending) func publish<Elements: AsyncSequence>(
    each elements: Elements
  ) async throws(Elements.Failure) where Elements.Element == Value {
    var iterator = elements.makeAsyncIterator()
    while !Task.isCancelled, let value = try await iterator.next(isolation: #isolation) {
      switch publish(value) {
      case .published: continue
      case .full: if await ready().cancellingImmediatelyUponRequest().settled().isCancelled { return }
      case .cancelled: return
      }
    }
  }
}
