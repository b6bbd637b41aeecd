import PluginRuntime

/// The end of a pipeline that was not fulfilled.
struct PipelineFailure: Error {
  /// The exit status of the command.
  var status: ExitStatus
  /// One failure for each step that caused it.
  var failures: [Failure]
}

extension PipelinePlan.Step {
  /// The names for programs: of the substitute if there is one, since the step fails with it.
  var facts: FailureFacts {
    let last = if case .call(let substitute, _) = rescue { substitute } else { call }
    return FailureFacts(plugin: last.plugin.id, function: last.function.name, step: name)
  }
}
