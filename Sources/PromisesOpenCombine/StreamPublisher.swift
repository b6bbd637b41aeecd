#if OpenCombine
public import OpenCombine
public import Promises

/// A stream as a publisher of OpenCombine: see ``Promises/Subscriber/publisher(buffer:)``.
public struct StreamPublisher<Output, Failure: Error>: OpenCombine.Publisher {
  fileprivate let source: Promises.Subscriber<Output, Failure>
  fileprivate let buffer: StreamBuffer

  /// Subscribes to the stream from this moment on.
  public func receive<Downstream: OpenCombine.Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    StreamConduit(subscriber).begin(source, buffer)
  }
}

extension Promises.Subscriber where Failure: Error {
  /// Returns this stream as a publisher of OpenCombine, which keeps this subscriber.
  ///
  ///     let shown = names.publisher(buffer: .newest(1)).sink { show($0) }
  ///
  /// Each subscription gets the states published after it was made, on demand. An error of the stream ends the
  /// subscription with `.failure`, though not the stream; the end of the stream is `.finished`. Neither takes demand.
  ///
  /// - Parameter buffer: the states that wait for demand, for each subscription. One more state is held outside the
  ///   buffer.
  /// - Thread: values arrive on the threads that publish or request, one at a time.
  public func publisher(buffer: StreamBuffer = .unbounded) -> StreamPublisher<Value, Failure> {
    StreamPublisher(source: self, buffer: buffer)
  }
}
#endif
