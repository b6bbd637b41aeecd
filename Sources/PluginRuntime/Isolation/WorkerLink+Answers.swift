import Promises
import Synchronization

/// Answers to questions of the worker.
extension WorkerLink {
  /// Answers a question of the worker of a generation.
  func answer(_ kind: Frame.Kind, _ request: UInt64, _ answer: WorkerQuestions.Answer, to generation: Int) {
    state.withLock { if $0.generation == generation { $0.questions -= 1 } }
    reply(kind, request, answer, to: generation)
  }

  /// Sends an answer. `generation` is the worker that asked: the numbers of the questions begin anew in each process.
  func reply(
    _ kind: Frame.Kind, _ request: UInt64, _ answer: WorkerQuestions.Answer, to generation: Int? = nil
  ) {
    if case .failure(let rejection) = answer, let error = rejection.reason as? PluginError {
      state.withLock { $0.crossedEnds.note(error) }
    }
    guard let error = send(Frame(kind, request, WorkerQuestions.body(answer)), to: generation) else { return }
    let reason = PluginError(.notIsolated, "a callback", "returned a value that \(error)")
    send(Frame(kind, request, WorkerQuestions.body(.failure(CallbackRejection(reason: reason)))), to: generation)
  }

  /// Returns an error that a callback threw in the form for the worker. The error itself stays with the call, and
  /// rejects it unless the plugin prevents that.
  func crossing(_ error: any Error, of request: UInt64) -> CallbackRejection {
    let reason: Any? = if let rejection = error as? CallbackRejection { rejection.reason } else { error }
    switch reason {
    case is PluginError, is PromiseError, is Discarded, is String, is PluginValue, nil:
      return CallbackRejection(reason: reason)
    default: break
    }
    let number = newRequest()
    state.withLock { $0.calls[request]?.thrown[number] = error }
    return CallbackRejection(reason: ThrownReason(number: number, text: "\(error)"))
  }
}
