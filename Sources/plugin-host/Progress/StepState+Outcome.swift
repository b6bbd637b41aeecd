import PluginRuntime

extension StepState.Report {
  init(_ report: ProgressReport) {
    self.init(fraction: report.fraction, message: report.message ?? "")
  }
}

extension StepState {
  init(_ outcome: PipelineRun.Outcome) {
    switch outcome {
    case .success(let value): self = .fulfilled(result: value.summary)
    case .failure(.rejected(let message)), .failure(.wrongArguments(let message)): self = .rejected(message: message)
    case .failure(.timedOut(let seconds)): self = .timedOut(message: "\(CallFailure.timedOut(seconds: seconds))")
    case .failure(.notRun(let cause)): self = .notRun(because: cause)
    case .failure(.interrupted): self = .interrupted
    }
  }
}
