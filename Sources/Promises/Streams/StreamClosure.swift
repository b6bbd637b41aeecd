// Swift closures as the C functions that the engine calls for the events of a stream.

/// Receives the states of a stream, one at a time.
typealias StreamCallback = (StoredState) -> Void

/// Decides on one state of a stream: a value to publish is stored in the second argument.
typealias StreamFunction = (StoredState, inout CellValue) -> StreamVerdict

/// The kinds of states that a callback handles. Other states are not queued for it, and use no demand.
struct StreamKinds: OptionSet {
  let rawValue: UInt8
  static let data = StreamKinds(rawValue: 1)
  static let errors = StreamKinds(rawValue: 2)
  static let end = StreamKinds(rawValue: 4)
  static let all: StreamKinds = [.data, .errors, .end]

  /// The kinds of events of the engine, for which the end is none.
  var events: Wants { Wants(rawValue: rawValue & 3) }
}

extension Receiver {
  /// Makes a receiver that calls a closure for the states of some kinds.
  init(_ kinds: StreamKinds, _ callback: @escaping StreamCallback) {
    let onValue: Observer = { unsafe receive(.value($1.load(as: CellValue.self)), in: $0) }
    let onError: Observer = { unsafe receive(.error($1.load(as: CellValue.self)), in: $0) }
    let onEnd: FreeFunction = { unsafe receive(.end, in: $0) }
    self = unsafe .callbacks(
      onValue: kinds.contains(.data) ? onValue : nil, onError: kinds.contains(.errors) ? onError : nil,
      onEnd: kinds.contains(.end) ? onEnd : nil, Context(keeping: callback))
  }
}

private func receive(_ state: StoredState, in context: UnsafeMutableRawPointer?) {
  unsafe Context.value(StreamCallback.self, in: context)(state)
}

extension Transform {
  /// Makes a transform that calls a closure for every state.
  init(_ function: @escaping StreamFunction) {
    unsafe self.init(
      onValue: { unsafe decide(.value($1.load(as: CellValue.self)), in: $0, $2) },
      onError: { unsafe decide(.error($1.load(as: CellValue.self)), in: $0, $2) },
      onEnd: { context, _, out in unsafe decide(.end, in: context, out) }, Context(keeping: function))
  }
}

private func decide(
  _ state: StoredState, in context: UnsafeMutableRawPointer?, _ out: UnsafeMutableRawPointer
) -> Int32 {
  let function = unsafe Context.value(StreamFunction.self, in: context)
  return unsafe function(state, &out.assumingMemoryBound(to: CellValue.self).pointee).rawValue
}
