import Promises

extension PluginWorker {
  /// The progress of the plugin.
  ///
  ///     greeted --open--> opened --load--> loaded --unload--> (the process exits)
  enum Stage: Sendable {
    case greeted
    indirect case opened(PluginSource, PluginDescription)
    case loaded(Loaded)
  }

  /// The plugin, and its functions.
  final class Loaded: Sendable {
    let host: Host
    let plugin: LoadedPlugin
    /// The plugin's functions in the order of the description, which is how the host names them.
    let functions: [BoundFunction]
    let handles: HandleTable
    /// Answers a call.
    let answer: WorkerCall.Answer

    init(
      _ description: PluginDescription, in host: Host, _ handles: HandleTable, answer: @escaping WorkerCall.Answer
    ) throws(PluginError) {
      (self.host, self.handles, self.answer) = (host, handles, answer)
      plugin = try host.find(description.id)
      var functions: [BoundFunction] = []
      for function in description.functions { functions.append(try plugin.function(function.name)) }
      self.functions = functions
    }
  }

  /// The state that frames of the host change.
  struct State {
    var stage = Stage.greeted
    var handles = HandleTable(worker: 0)
    var recursionLimit = 0
    var calls: [UInt64: WorkerCall] = [:]
    /// Results of fulfilled calls that the host may ask for.
    var kept: [UInt64: PluginValue] = [:]
    var recent = RecentResults()
    /// Promises that are arguments, by their numbers.
    var promises: [UInt64: Promise<PluginValue>] = [:]
    /// The threads of the serial lanes, by the numbers of the lanes.
    var lanes: [UInt64: SerialThread] = [:]
  }
}
