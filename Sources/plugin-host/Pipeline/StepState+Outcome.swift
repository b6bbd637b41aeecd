import PluginRuntime

extension StepState.Report {
  init(_ report: ProgressReport) {
    self.init(fraction: report.fraction, message: report.message ?? "")
  }
}

extension StepState {
  /// - Parameter isFound: whether the result was found in the cache.
  init(_ outcome: PipelineRun.Outcome, isFound: Bool = false) {
    switch outcome {
    case .success(let value) where isFound:
      self = .fulfilled(result: value.summary + (value.summary.isEmpty ? "from the cache" : ", from the cache"))
    case .success(let value): self = .fulfilled(result: value.summary)
    case .failure(.rejected(let message, _)), .failure(.wrongArguments(let message)):
      self = .rejected(message: message)
    case .failure(.timedOut(let seconds, let element)):
      self = .timedOut(message: "\(CallFailure.timedOut(seconds: seconds, element: element))")
    case .failure(.notRun(let cause)): self = .notRun(because: cause)
    case .failure(.skipped): self = .skipped
    case .failure(.interrupted): self = .interrupted
    }
  }
}
