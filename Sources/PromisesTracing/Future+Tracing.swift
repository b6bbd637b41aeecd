#if Tracing
public import Instrumentation
public import Promises
public import Tracing

extension Future {
  /// Starts a span that ends when the future is settled.
  ///
  ///     session.fetchData(from: url).traced("load users").map { ... }
  ///
  /// An error is recorded, and gives the span the status `error`. A cancellation gives it the attribute
  /// `promise.cancelled`, and records the indirect error if there is one.
  ///
  /// - Parameters:
  ///   - name: the name of the operation.
  ///   - kind: the kind of the span.
  ///   - context: the parent of the span.
  ///   - tracer: makes the span.
  /// - Returns: a future with the same outcome, settled after the span has ended.
  /// - Thread: any.
  public func traced(
    _ name: String, ofKind kind: SpanKind = .internal, context: InstrumentationContext? = nil,
    tracer: any Tracer = InstrumentationSystem.tracer, function: String = #function, file: String = #fileID,
    line: UInt = #line
  ) -> Future {
    let span: any Span = tracer.startSpan(
      name, context: context ?? .current ?? .topLevel, ofKind: kind, function: function, file: file, line: line)
    return ending(span)
  }

  fileprivate func ending(_ span: any Span) -> Future {
    onComplete { result in
      switch result {
      case .fulfilled: break
      case .rejected(let error): span.fail(error)
      case .cancelled(let error):
        span.attributes["promise.cancelled"] = true
        if let error { span.recordError(error) }
      }
      span.end()
    }
  }
}

/// Runs `body` within a span that ends when the future that `body` returns is settled.
///
///     withFutureSpan("load users") { span in session.fetchData(from: url) }
///
/// Spans that `body` starts, before it returns, are children of the span. An error that `body` throws is recorded, and
/// ends the span. See `Future.traced(_:ofKind:context:tracer:function:file:line:)`.
///
/// - Parameters:
///   - name: the name of the operation.
///   - kind: the kind of the span.
///   - context: the parent of the span.
///   - tracer: makes the span.
///   - body: called once, inside this call.
/// - Returns: a future with the outcome of the future of `body`, settled after the span has ended.
/// - Thread: any.
public func withFutureSpan<Value, Failure>(
  _ name: String, ofKind kind: SpanKind = .internal, context: InstrumentationContext? = nil,
  tracer: any Tracer = InstrumentationSystem.tracer, function: String = #function, file: String = #fileID,
  line: UInt = #line, _ body: (any Span) throws -> Future<Value, Failure>
) rethrows -> Future<Value, Failure> {
  let span: any Span = tracer.startSpan(
    name, context: context ?? .current ?? .topLevel, ofKind: kind, function: function, file: file, line: line)
  do {
    return try InstrumentationContext.withValue(span.context) { try body(span) }.ending(span)
  } catch {
    span.fail(error)
    span.end()
    throw error
  }
}

/// A failure whose type is not an `Error`, as text.
private struct OtherFailure: Error, CustomStringConvertible {
  let description: String
}

extension Span {
  fileprivate func fail(_ failure: Any) {
    recordError(failure as? any Error ?? OtherFailure(description: String(describing: failure)))
    setStatus(SpanStatus(code: .error, message: String(describing: failure)))
  }
}
#endif
