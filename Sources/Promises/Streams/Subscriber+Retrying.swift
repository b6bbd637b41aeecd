extension Subscriber {
  /// Publishes the states of the stream that `make` returns. After an error it unsubscribes from that stream, drops the
  /// error, and publishes the stream that `make` returns next, at most `count` times; later errors pass. Ends with the
  /// stream that it publishes. The result is stateful; once it is cancelled, `make` is not called any more.
  ///
  /// `make` is called first in this call, then on the threads of the errors.
  public static func retry(_ count: Int, _ make: @escaping () -> Subscriber) -> Subscriber {
    let retried = CellPublisher.retried(
      UInt64(max(0, count)), ending: .cancelled, .closure { _ in make().node.inner })
    return Subscriber(node: StreamNode(retried))
  }
}
