import PluginRuntime

/// A pipeline file that was read and validated, down to the signatures of the functions that it calls.
struct CheckedPipeline {
  var plan: PipelinePlan
  /// The plugins that the pipeline uses, not loaded yet.
  var plugins: PluginPlan
  /// The digest of the main file's path, of all files and of the values of variables: runs with equal digests are
  /// identical.
  var identity: Digest

  /// Throws `FileMistakes` for mistakes in the file, otherwise a `Failure`.
  ///
  /// - Parameter deadline: when the files have to be read.
  init(path: String, given: [VariableSetting], options: HostOptions, by deadline: ContinuousClock.Instant?) throws {
    let (pipeline, files) = try PipelineFiles.read(path, by: deadline)
    var mistakes: [Mistake] = []
    let secrets = try Secrets.values(of: pipeline, by: deadline)
    let variables = try Variables.values(of: pipeline, given: given, secrets: secrets, mistakes: &mistakes)
    identity = Digest { hasher in
      hasher.add(PipelineFiles.canonical(path == "-" ? "." : path))
      for file in files { hasher.add(file.text) }
      for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
        hasher.add(name)
        hasher.add(value)
      }
    }
    let graph = StepGraph(pipeline.steps, firstFinal: pipeline.firstFinal, mistakes: &mistakes)
    guard mistakes.isEmpty else { throw FileMistakes(files: files, mistakes: mistakes) }

    let folders = files.map { $0.number == 0 && path == "-" ? "." : Directory.parent(of: $0.path) }
    plugins = options.plan(folders.reduce(options.search.finder) { $0.adding($1) })
    // The folders of all, before code of the first one runs.
    for name in pipeline.plugins { WritableFolders.add(pipeline.capabilities(of: name.value)) }
    var configured: [String: Located<String>] = [:]
    for name in pipeline.plugins {
      do {
        let plugin = try plugins.add(
          name.value, placement: pipeline.places[name.value], capabilities: pipeline.capabilities(of: name.value))
        let setting = pipeline.setting(of: name.value)
        if let first = configured[plugin.id] {
          guard setting != pipeline.setting(of: first.value) else { continue }
          mistakes.report(name.location, Pipeline.contradiction(first, in: files[first.location.file]))
          continue
        }
        configured[plugin.id] = name
        if let place = setting.placement.place, !plugins.runs(plugin, in: place) {
          let message =
            "the plugin has another place by an entry above that names or requires it; list it before that one"
          mistakes.report(name.location, message)
        }
      } catch {
        let place = "\(files[name.location.file].path):\(name.location.line):\(name.location.column)"
        throw Failure(error.status, lines: error.lines + ["\(place): note: \"\(name.value)\" is listed here"])
      }
    }
    guard mistakes.isEmpty else { throw FileMistakes(files: files, mistakes: mistakes) }
    plan = try PipelineChecker.check(
      pipeline, in: files, graph: graph, plugins: plugins.plugins, single: plugins.single, variables: variables)
  }
}
