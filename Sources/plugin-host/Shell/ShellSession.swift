import PluginRuntime

/// A session: the plugins and variables that its lines use.
@MainActor
final class ShellSession {
  /// The continuation after a line.
  enum Next: Equatable {
    case line
    /// The session was asked to end.
    case end
    /// The call was interrupted.
    case interrupted
    /// A signal asked the process to end.
    case signal(Int32)
  }

  let session: Session
  private(set) var variables = ShellVariables()
  private(set) var plan: PluginPlan
  /// The plugins of `use PATH as NAME`.
  private(set) var aliases: [String: PluginDescription] = [:]
  let finder: PluginFinder
  private let options: HostOptions
  private let output: OutputOptions
  private let timeout: Seconds?
  /// The thread of all calls: handles and errors of some libraries belong to the thread that made them. After a call
  /// that was given up it is another one.
  private var lane = CallLane()

  /// - Parameter isInteractive: whether SIGINT ends a call instead of the session.
  init(options: HostOptions, output: OutputOptions, timeout: Seconds?, isInteractive: Bool) throws(Failure) {
    finder = options.search.finder
    plan = options.plan(finder)
    // The configuration is set before a plugin is loaded.
    for setting in options.settings { try plan.add(setting.plugin) }
    session = try Session(plan, options: options)
    self.options = options
    self.output = output
    self.timeout = timeout
    if isInteractive { Interrupts.install(waking: session.loop) }
  }

  /// Runs one line.
  func run(_ line: ShellLine) throws(Failure) -> Next {
    guard let first = line.words.first else { return .line }
    if case .reference(let reference)? = first.parts.first, first.parts.count == 1 {
      guard line.words.count == 1 else { throw Failure(.usage, "nothing can follow a variable that is shown") }
      return try keep(try variables.variable(reference), line.target)
    }
    guard let word = first.plain else {
      throw Failure(
        .usage, "a line begins with PLUGIN.FUNCTION, a command, or a variable: $NAME, $NAME.part or $NAME[0]")
    }
    if line.target == nil, let command = ShellCommandWord(rawValue: word) {
      return try run(command, line.words.dropFirst().map { word throws(Failure) in try variables.text(word.parts) })
    }
    let (plugin, function) = try function(word)
    let callbacks = CallbackFinder(
      find: { (plugin, name) throws(Failure) in try self.function("\(plugin).\(name)") },
      host: { [session] in session.host })
    let start = ContinuousClock.now
    let arguments: [Argument]
    do throws(Failure) {
      arguments = try session.endingBySignals { () throws(Failure) in
        try variables.arguments(
          Array(line.words.dropFirst()), for: function.signature,
          limit: timeout.map { SingleCall.readingLimit($0, of: function, of: plugin, from: start) },
          callback: callbacks.callback)
      }
    } catch {
      guard Interrupts.isRequested else { throw error }
      Interrupts.clear()
      return .interrupted
    }
    return try call(function, of: plugin, arguments, line.target, after: start.duration(to: .now))
  }

  /// Finds `PLUGIN.FUNCTION`, and loads the plugin if it is not loaded.
  func function(_ word: String) throws(Failure) -> (PluginDescription, FunctionDescription) {
    guard let dot = word.lastIndex(of: "."), dot != word.startIndex else {
      let hint = Suggestion.near(word, among: ShellCommandWord.allCases.map(\.rawValue))
      let shown = word.truncated(to: 100)
      throw Failure(
        .usage, "\"\(shown)\" is neither a command nor PLUGIN.FUNCTION\(hint); help lists the commands".displayLine)
    }
    let plugin = try plugin(String(word[..<dot]))
    let name = String(word[dot...].dropFirst())
    guard let function = plugin.function(named: name) else { throw plugin.unknownFunction(name) }
    return (plugin, function)
  }

  /// Finds a plugin by the session's name for it, and loads it if it is not loaded.
  func plugin(_ name: String) throws(Failure) -> PluginDescription {
    if let plugin = aliases[name] { return plugin }
    switch plan.plugins.lookup(name) {
    case .found(let plugin): return plugin
    case .ambiguous(let ids):
      throw Failure(.usage, "\"\(name)\" may be \(ids.joined(separator: " or ")); write the whole id")
    case .unknown: break
    }
    // A copy, because a plan that fails contains only a part of the plugin's requirements.
    var next = plan
    let plugin = try next.add(name)
    for new in next.plugins.dropFirst(plan.plugins.count) { try session.load(new, of: next) }
    plan = next
    return plugin
  }

  /// Gives a plugin another name, which is not that of another loaded plugin.
  func alias(_ name: String, _ plugin: PluginDescription) throws(Failure) {
    var owner = aliases[name]
    if case .found(let other) = plan.plugins.lookup(name) { owner = other }
    if let owner, owner.id != plugin.id {
      throw Failure(.usage, "\"\(name)\" is the plugin \(owner.id): choose another name".displayLine)
    }
    aliases[name] = plugin
  }

  /// Refuses a name that `use` gave one plugin, and that another one, which is not loaded, has itself.
  func refuseAlias(_ name: String) throws(Failure) {
    guard let plugin = aliases[name], case .unknown = plan.plugins.lookup(name), finder.names.contains(name) else {
      return
    }
    throw Failure(.usage, "\"\(name)\" is a name of \(plugin.id) here: give that plugin another one".displayLine)
  }

  func drop(_ name: String) { variables[name] = nil }

  private func call(
    _ function: FunctionDescription, of plugin: PluginDescription, _ arguments: [Argument], _ target: String?,
    after used: Duration
  ) throws(Failure) -> Next {
    let call = SingleCall(
      function, of: plugin, in: session, on: lane, display: options.progress.display(isTransient: true))
    defer { if call.isGivenUp { lane = CallLane() } }
    call.start(arguments, timeout: timeout, after: used)
    let signal = session.loop.run(until: { call.outcome != nil || Interrupts.isRequested })
    if let signal {
      call.interrupt()
      return .signal(signal)
    }
    switch call.outcome {
    case .success(let value):
      return try keep(ShellVariables.Variable(value, of: function.signature.shape), target)
    case .failure(let failure):
      throw call.failure(failure)
    case nil:
      call.interrupt()
      // The interruption was meant for the call, not for the next line.
      Interrupts.clear()
      return .interrupted
    }
  }

  /// Assigns the value to the variable, or prints it.
  private func keep(_ variable: ShellVariables.Variable, _ target: String?) throws(Failure) -> Next {
    guard let target else {
      if case .nothing = variable.shape { return .line }
      do throws(Failure) {
        try session.endingBySignals { () throws(Failure) in
          try output.writer(within: timeout).write(variable.value, of: variable.shape)
        }
      } catch {
        guard Interrupts.isRequested else { throw error }
        Interrupts.clear()
        return .interrupted
      }
      return .line
    }
    // A call with one out parameter and no other result has the value of that parameter.
    if case .object(let shapes) = variable.shape, shapes.count == 1, let value = variable.value[member: shapes[0].name]
    {
      variables[target] = ShellVariables.Variable(value, of: shapes[0].shape)
    } else {
      variables[target] = variable
    }
    return .line
  }
}
