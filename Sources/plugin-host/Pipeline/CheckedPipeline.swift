import PluginRuntime

/// A pipeline file that was read and found right, down to the signatures of the functions that it calls.
struct CheckedPipeline {
  var plan: PipelinePlan
  /// The plugins that it uses, not loaded yet.
  var plugins: PluginPlan
  /// The digest of the file and the values of its variables: two runs with the same do the same.
  var identity: Digest

  /// Throws a `FileMistakes` where the file is wrong, otherwise a `Failure`.
  init(path: String, given: [VariableSetting], options: HostOptions) throws {
    let file = try SourceFile.read(path, or: .usage)
    let pipeline = try PipelineReader.read(file)
    var mistakes: [Mistake] = []
    let folder = path == "-" ? "." : Directory.parent(of: path)
    let secrets = try Secrets.values(of: pipeline, folder: folder)
    let variables = try Variables.values(of: pipeline, given: given, secrets: secrets, mistakes: &mistakes)
    identity = Digest { hasher in
      hasher.add(file.text)
      for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
        hasher.add(name)
        hasher.add(value)
      }
    }
    let graph = StepGraph(pipeline.steps, firstFinal: pipeline.firstFinal, mistakes: &mistakes)
    guard mistakes.isEmpty else { throw FileMistakes(file: file, mistakes: mistakes) }

    plugins = options.plan(options.search.finder.adding(folder))
    for name in pipeline.plugins {
      do {
        try plugins.add(
          Self.reference(name.value, from: folder), placement: pipeline.places[name.value],
          capabilities: pipeline.capabilities(of: name.value, folder: folder))
      } catch {
        let place = "\(file.path):\(name.location.line):\(name.location.column)"
        throw Failure(error.status, lines: error.lines + ["\(place): note: \"\(name.value)\" is listed here"])
      }
    }
    plan = try PipelineChecker.check(
      pipeline, in: file, graph: graph, plugins: plugins.plugins, variables: variables)
  }

  /// A path in the file counts from where the file is, wherever the command is run.
  private static func reference(_ name: String, from folder: String) -> String {
    name.contains("/") && !name.hasPrefix("/") ? Directory.join(folder, name) : name
  }
}
