import Promises
import Synchronization

/// The requests of a worker to its host: callbacks, which wait for their answer, and calls of other plugins, which are
/// promises.
final class WorkerQuestions: Sendable {
  typealias Answer = Result<PluginValue, CallbackRejection>

  private struct State {
    var count: UInt64 = 0
    var waiting: [UInt64: @Sendable (Answer) -> Void] = [:]
  }

  private let channel: WorkerChannel
  private let server: FrameServer
  /// Threads for reactions to the ends of calls of other plugins. Those of the plugin's calls may all wait for such an
  /// end.
  private let reactions = CallThreads(limit: WorkerLink.threads)
  private let state = Mutex(State())

  init(_ channel: WorkerChannel, _ server: FrameServer) { (self.channel, self.server) = (channel, server) }

  /// Reads the body of `returned`, `answered` and `settle`: [true, value] or [false, reason]. Returns it with addresses
  /// in place of handles.
  static func result(_ body: PluginValue, _ handles: HandleTable) throws(FrameError) -> Answer {
    guard case .array(let parts) = body, parts.count == 2, case .bool(let isFulfilled) = parts[0] else {
      throw FrameError(description: "a result of an unknown form")
    }
    switch (isFulfilled, imported(.success(parts[1]), handles)) {
    case (false, .success(let reason)): return .failure(CallbackRejection(reason: try ReasonCoder.decode(reason)))
    case (_, let answer): return answer
    }
  }

  /// Returns an answer with addresses in place of handles. A handle of another process becomes a rejection, with an
  /// `ArgumentMismatch` as the reason.
  static func imported(_ answer: Answer, _ handles: HandleTable) -> Answer {
    guard case .success(let value) = answer else { return answer }
    do throws(ArgumentMismatch) {
      return .success(try handles.imported(value))
    } catch {
      return .failure(CallbackRejection(reason: error))
    }
  }

  /// Returns the body of such a frame.
  static func body(_ answer: Answer) -> PluginValue {
    switch answer {
    case .success(let value): .array([.bool(true), value])
    case .failure(let error): .array([.bool(false), ReasonCoder.encode(error.reason)])
    }
  }

  /// Passes an answer of the host to the request that waits for it.
  func answer(_ frame: Frame, _ handles: HandleTable) throws(FrameError) {
    let answer = try Self.result(frame.body, handles)
    guard let receive = state.withLock({ $0.waiting.removeValue(forKey: frame.request) }) else { return }
    // Not on the reading thread: reactions to the end of a call are code of the plugin, which may wait for a frame.
    let run: CallThreads.Job = { receive(answer) }
    if frame.kind != .answered || !reactions.runElsewhere(run) { run() }
  }

  /// Sends a request. `receive` gets the answer of a callback on the reading thread, that of a call on another one. If
  /// the request cannot be sent, it gets the error here.
  private func ask(
    _ kind: Frame.Kind, _ body: PluginValue, _ handles: HandleTable, _ receive: @escaping @Sendable (Answer) -> Void
  ) -> UInt64 {
    let number = state.withLock { state in
      state.count += 1
      state.waiting[state.count] = receive
      return state.count
    }
    if let error = channel.send(Frame(kind, number, body)),
      let receive = state.withLock({ $0.waiting.removeValue(forKey: number) })
    {
      handles.withdraw(body)
      let reason = PluginError(.notIsolated, "plugin-worker", "cannot send a value to the host that \(error.message)")
      receive(.failure(CallbackRejection(reason: reason)))
    }
    return number
  }

  /// Makes the callback for an argument of a call. The host is notified when the plugin cannot call it any more.
  func callback(_ number: UInt64, request: UInt64, handles: @escaping @Sendable () -> HandleTable) -> PluginCallback {
    let end = CallbackEnd(number, channel)
    return PluginCallback { [self] arguments in
      guard !WorkerChannel.isInChild else { throw PluginError.inChild("the callback \(number)") }
      return try withExtendedLifetime(end) {
        let handles = handles()
        let body = PluginValue.array([
          .uint(number), .uint(request), try handles.exported(.array(arguments)), .uint(UInt64(CallStack.depth)),
        ])
        return try waited { _ = self.ask(.callback, body, handles, $0) }
      }
    }
  }

  /// Waits for an answer on this thread. If the host ends instead, this process ends too.
  private func waited(_ ask: (@escaping @Sendable (Answer) -> Void) -> Void) throws -> PluginValue {
    let answer = Awaited<Answer>()
    server.willWait()
    ask { answer.set($0) }
    switch answer.wait() {
    case .success(let value): return value
    case .failure(let crossed): throw (crossed.reason as? any Error) ?? crossed
    }
  }

  /// Calls a function of another plugin, in the host. Discards of the promise, and requests to cancel it, are passed to
  /// that of the host.
  func call(
    _ function: String, of plugin: String, _ arguments: [PluginValue], handles: HandleTable
  ) -> Promise<PluginValue> {
    let exported: PluginValue
    do throws(ArgumentMismatch) {
      exported = try handles.exported(.array(arguments))
    } catch {
      return .reject(PluginError(.badArgument, plugin, "is given an argument that \(error.message)"))
    }
    let number = Mutex<UInt64?>(nil)
    let promise = Promise<PluginValue>(discard: { [channel] in
      if let number = number.withLock({ $0 }) { _ = channel.send(Frame(.foreignCancel, number)) }
    })
    let body = PluginValue.array([
      .string(plugin), .string(function), exported, .uint(UInt64(CallStack.depth)),
    ])
    let asked = ask(.foreign, body, handles) { answer in
      switch answer {
      case .success(let value): promise.resolve(value)
      case .failure(let crossed) where crossed.reason is ArgumentMismatch:
        let message =
          "returned a result that can be passed only if both plugins are in-process (--isolation in-process)"
        promise.reject(PluginError(.notIsolated, plugin, message))
      case .failure(let crossed): promise.reject(crossed.reason)
      }
    }
    number.withLock { $0 = asked }
    // After the question was sent, so that the host has the call.
    promise.cell.onCancelRequest { [channel] in _ = channel.send(Frame(.foreignRequestCancel, asked)) }
    return promise
  }

  /// Notifies the host when the closure of a callback is released: its scope has ended.
  private final class CallbackEnd: Sendable {
    private let number: UInt64
    private let channel: WorkerChannel

    init(_ number: UInt64, _ channel: WorkerChannel) {
      self.number = number
      self.channel = channel
    }

    deinit { _ = channel.send(Frame(.released, number)) }
  }
}
