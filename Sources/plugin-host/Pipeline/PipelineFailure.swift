import PluginRuntime

/// The failure of a pipeline.
struct PipelineFailure: Error {
  /// The exit status of the command.
  var status: ExitStatus
  /// One failure for each step that caused it.
  var failures: [Failure]
}

extension PipelinePlan.Step {
  /// The fields of the failure in JSON. For a step with a substitute call, they describe the substitute.
  var facts: FailureFacts {
    let last = if case .call(let substitute, _) = rescue { substitute } else { call }
    return FailureFacts(plugin: last.plugin.id, function: last.function.name, step: name)
  }
}
