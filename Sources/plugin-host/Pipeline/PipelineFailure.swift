import PluginRuntime

/// The failure of a pipeline.
struct PipelineFailure: Error {
  /// The exit status of the command.
  var status: ExitStatus
  /// One failure for each step that caused it.
  var failures: [Failure]
}

extension PipelinePlan.Step {
  /// The facts for JSON: those of the substitute if there is one, because the step fails with it.
  var facts: FailureFacts {
    let last = if case .call(let substitute, _) = rescue { substitute } else { call }
    return FailureFacts(plugin: last.plugin.id, function: last.function.name, step: name)
  }
}
