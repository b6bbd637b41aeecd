import PluginRuntime

/// The plugins that a command needs, inspected but not loaded, each after those that it requires.
struct PluginPlan: Sendable {
  private(set) var plugins: [PluginDescription] = []
  private let finder: PluginFinder
  /// The place of plugins that the command line chooses; `nil`: the rules of trust decide.
  private let place: PluginIsolation?
  private var places: [String: PluginIsolation] = [:]
  /// The plugins in workers that nobody has chosen, which have all rights of the user.
  private var unconfined: Set<String> = []
  /// The workers that have described such plugins, and wait until these are loaded.
  private var prepared: [String: PreparedPlugin] = [:]
  /// The capabilities of single plugins in addition to those of all workers.
  private var capabilities: [String: Capabilities] = [:]
  /// The number of workers and the limits of single plugins.
  private var placements: [String: PluginPlacement] = [:]
  /// Reads descriptions in child processes; `nil`: descriptions are read in this process, which loads the plugins.
  private let scanner: PluginScanner?
  /// The workers that inspect plugins that will run in one; `nil`: none.
  private let workers: IsolationOptions?
  /// The threads of plugins that have one of their own, by id. These plugins were inspected there.
  private var threads: [String: SerialThread] = [:]
  /// The absolute paths by which plugins were found, by id, symbolic links not resolved.
  private var files: [String: String] = [:]
  /// The ids of the plugins being inspected, each required by the one before it.
  private var path: [String] = []

  init(
    finder: PluginFinder, scanner: PluginScanner? = nil, place: PluginIsolation? = nil,
    workers: IsolationOptions? = nil
  ) {
    self.finder = finder
    self.scanner = scanner
    self.place = place
    self.workers = workers
  }

  /// Returns the place in which a plugin of the plan runs.
  func place(of plugin: PluginDescription) -> PluginIsolation { places[plugin.id] ?? place ?? .inProcess }

  /// Whether a plugin of the plan runs as it does if `place` is chosen for it.
  func runs(_ plugin: PluginDescription, in place: PluginIsolation) -> Bool {
    self.place(of: plugin) == place && !unconfined.contains(plugin.id)
  }

  /// Returns the plugin as a worker has mapped it to describe it; `nil` if no worker waits.
  func prepared(_ plugin: PluginDescription) -> PreparedPlugin? { prepared[plugin.id] }

  /// The ids of the plugins that make one call at a time.
  var single: Set<String> {
    let plugins = plugins.filter { plugin in
      if case .thread = place(of: plugin) { return true }
      return placements[plugin.id]?.limits.inFlight == 1
    }
    return Set(plugins.map(\.id))
  }

  /// The thread of a plugin that has one of its own.
  func ownThread(of plugin: PluginDescription) -> SerialThread? { threads[plugin.id] }

  /// The thread that a plugin of the place `thread` runs on.
  ///
  /// - Throws: `PluginError` if the plan has no thread for the plugin, whose initialisers may have run on another
  ///   thread.
  func thread(of plugin: PluginDescription) throws(PluginError) -> SerialThread {
    guard let thread = ownThread(of: plugin) else {
      throw PluginError(
        .loadFailed, plugin.id, "cannot be loaded on a thread of its own: the plan of the plugins has none for it")
    }
    return thread
  }

  /// Returns the capabilities of a plugin in addition to those of all workers.
  func capabilities(of plugin: PluginDescription) -> Capabilities { capabilities[plugin.id] ?? Capabilities() }

  /// Adds a plugin by its path, name or id, and those that it requires. Returns the plugin.
  @discardableResult
  mutating func add(
    _ reference: String, placement: PluginPlacement? = nil, capabilities: Capabilities = Capabilities()
  ) throws(Failure) -> PluginDescription {
    let plugin = try add(reference, finder: finder, place: placement?.place ?? place, capabilities)
    self.capabilities[plugin.id] = self.capabilities(of: plugin).union(capabilities)
    placements[plugin.id] = placement ?? placements[plugin.id]
    return plugin
  }

  /// Returns the options for the workers of a plugin, made from those of all workers.
  func options(_ workers: IsolationOptions, of plugin: PluginDescription) -> IsolationOptions {
    var options = workers
    options.capabilities = options.capabilities.union(capabilities(of: plugin))
    if unconfined.contains(plugin.id) { options.useRightsOfUser() }
    if let placement = placements[plugin.id] { (options.pool, options.limits) = (placement.pool, placement.limits) }
    return options
  }

  private mutating func add(
    _ reference: String, finder: PluginFinder, place given: PluginIsolation?,
    _ capabilities: Capabilities = Capabilities()
  ) throws(Failure) -> PluginDescription {
    if let known = plugins.first(where: { $0.id == reference }) { return known }
    let file = try finder.path(of: reference)
    try PluginFinder.checkText(file)
    // An adoption file is judged without its library, which is unknown before the file is read.
    let choice = Choice(given, for: file)
    let thread = Self.thread(for: choice.place)
    try noteFolders(of: choice.place, capabilities)
    let found =
      if let scanner {
        Inspected(try scanner.description(of: file))
      } else {
        try inspect(file, choice, thread, capabilities)
      }
    let plugin = found.plugin
    // A reference with a dot is an id. The file was found by the last component, so its id has to be compared.
    if !reference.isPath, reference.cut(at: ".") != nil, plugin.id != reference {
      throw Failure(.notLoaded, "no plugin \"\(reference)\": \(file) is \"\(plugin.id)\"")
    }
    if let known = plugins.first(where: { $0.id == plugin.id }) {
      guard known.path == plugin.path, known.adoption == plugin.adoption else {
        throw Failure(.notLoaded, "two plugins have the id \"\(plugin.id)\": \(known.path) and \(plugin.path)")
      }
      return known
    }
    if let start = path.firstIndex(of: plugin.id) {
      let circle = (path[start...] + [plugin.id]).map { "\"\($0)\"" }.joined(separator: " requires ")
      throw Failure(.notLoaded, "plugins that require each other cannot be loaded: \(circle)")
    }
    path.append(plugin.id)
    for required in plugin.required { try addRequired(required, by: plugin, finder: finder) }
    path.removeLast()
    files[plugin.id] = Directory.absolute(file)
    append(found, choice, thread)
    return plugin
  }

  /// Returns the path by which a plugin of the plan was found.
  func file(of plugin: PluginDescription) -> String { files[plugin.id] ?? plugin.path }

  /// Checks the trust of a plugin's file as it is now, and returns the adoption that it describes; `nil` for others.
  func adoption(inFileOf plugin: PluginDescription) throws(Failure) -> Adoption? {
    let file = file(of: plugin)
    try finder.trust.check(library: file)
    return AdoptionFile.isNamed(file) ? try AdoptionFile.read(file, trust: finder.trust) : nil
  }

  /// A plugin's description, and the worker that has made it, if it waits.
  private struct Inspected {
    let plugin: PluginDescription
    let worker: PreparedPlugin?

    init(_ plugin: PluginDescription) { (self.plugin, worker) = (plugin, nil) }
    init(_ worker: PreparedPlugin) { (plugin, self.worker) = (worker.description, worker) }
  }

  /// The place of a plugin.
  private struct Choice {
    let place: PluginIsolation
    /// Whether its worker has all rights of the user, because nobody has chosen the place.
    let isUnconfined: Bool

    /// - Parameter given: the place on the command line or in the pipeline file; `nil`: the rules of trust decide.
    init(_ given: PluginIsolation?, for file: String) {
      if let given {
        (place, isUnconfined) = (given, false)
      } else {
        (place, isUnconfined) = Admission.defaultPlace(of: file)
      }
    }
  }

  private mutating func addRequired(
    _ id: String, by plugin: PluginDescription, finder: PluginFinder
  ) throws(Failure) {
    do {
      // The required plugin may be in the folder of the plugin that requires it.
      _ = try add(id, finder: finder.adding(Directory.parent(of: plugin.path)), place: place)
    } catch {
      throw Failure(error.status, lines: error.lines + ["plugin-host: \"\(plugin.id)\" requires \"\(id)\""])
    }
  }

  /// Adds an adopted library as a plugin, and returns the plugin.
  @discardableResult
  mutating func add(_ adoption: Adoption) throws(Failure) -> PluginDescription {
    try finder.trust.check(library: adoption.library)
    let choice = Choice(place, for: adoption.library)
    let thread = Self.thread(for: choice.place)
    try noteFolders(of: choice.place)
    let found =
      if let scanner {
        Inspected(try scanner.description(of: adoption))
      } else {
        try Self.inspect(adoption, choice, workers(for: choice), thread)
      }
    append(found, choice, thread)
    return found.plugin
  }

  private mutating func append(_ found: Inspected, _ choice: Choice, _ thread: SerialThread?) {
    let plugin = found.plugin
    plugins.append(plugin)
    places[plugin.id] = choice.place
    if choice.isUnconfined { unconfined.insert(plugin.id) }
    prepared[plugin.id] = found.worker
    threads[plugin.id] = thread
  }

  /// Makes a thread for a plugin of that place; `nil` if the place needs none.
  private static func thread(for place: PluginIsolation) -> SerialThread? { place == .thread ? SerialThread() : nil }

  /// Reads the description in the file at `path`: a plugin's own, or that of the library that a YAML file adopts.
  private func inspect(
    _ path: String, _ choice: Choice, _ thread: SerialThread?, _ capabilities: Capabilities
  ) throws(Failure) -> Inspected {
    try finder.trust.check(library: path)
    var workers = workers(for: choice)
    if let all = workers?.capabilities { workers?.capabilities = all.union(capabilities) }
    let name = Directory.name(of: path)
    workers = workers?.namingOutput(name)
    return try PluginOutput.attributing(to: name) { () throws(Failure) in
      guard AdoptionFile.isNamed(path) else { return try Self.inspect(path, choice, workers, thread) }
      return try Self.inspect(AdoptionFile.read(path, trust: finder.trust), choice, workers, thread)
    }
  }

  private static func inspect(
    _ path: String, _ choice: Choice, _ workers: IsolationOptions?, _ thread: SerialThread?
  ) throws(Failure) -> Inspected {
    guard choice.isUnconfined, let workers else { return Inspected(try inspect(plugin: path, workers, on: thread)) }
    do throws(PluginError) {
      return Inspected(try PreparedPlugin(file: path, workers))
    } catch {
      throw Failure(loading: error)
    }
  }

  private static func inspect(
    _ adoption: Adoption, _ choice: Choice, _ workers: IsolationOptions?, _ thread: SerialThread?
  ) throws(Failure) -> Inspected {
    guard choice.isUnconfined, let workers else { return Inspected(try inspect(adoption, workers, on: thread)) }
    do throws(PluginError) {
      return Inspected(try PreparedPlugin(adopting: adoption, workers))
    } catch {
      throw Failure(loading: error, of: adoption)
    }
  }

  /// Notes the folders that a plugin of that place may write to, before its code runs.
  private func noteFolders(
    of place: PluginIsolation, _ capabilities: Capabilities = Capabilities()
  ) throws(Failure) {
    guard place == .process, let workers else { return }
    WritableFolders.add(workers.capabilities.union(capabilities))
    try WritableFolders.checkPaths()
  }

  /// Returns the options of workers that inspect plugins of that place; `nil` for plugins that run in this process.
  private func workers(for choice: Choice) -> IsolationOptions? {
    guard choice.place == .process, var workers else { return nil }
    if choice.isUnconfined { workers.useRightsOfUser() }
    return workers
  }

  /// Reads the description of a plugin. The plugin's code runs in this process, on `thread` if there is one, or in a
  /// worker.
  static func inspect(
    plugin path: String, _ workers: IsolationOptions? = nil, on thread: SerialThread? = nil
  ) throws(Failure) -> PluginDescription {
    do {
      if let thread { return try Host.inspect(path, on: thread) }
      if let workers { return try IsolatedPlugin.inspect(path, workers) }
      return try Host.inspect(path)
    } catch {
      throw Failure(loading: error)
    }
  }

  /// Reads the description of an adopted library, whose code runs as that of a plugin.
  static func inspect(
    _ adoption: Adoption, _ workers: IsolationOptions? = nil, on thread: SerialThread? = nil
  ) throws(Failure) -> PluginDescription {
    do {
      if let thread { return try Host.inspect(adoption, on: thread) }
      if let workers { return try IsolatedPlugin.inspect(adoption, workers) }
      return try Host.inspect(adoption)
    } catch {
      throw Failure(loading: error, of: adoption)
    }
  }
}

extension IsolationOptions {
  /// Options for workers that run this program, even if its file was moved or replaced.
  static func runningThisProgram(timeout: Duration?) -> IsolationOptions {
    var options = IsolationOptions(
      program: WorkerProgram(path: "/proc/self/exe", arguments: Admission.workerArguments))
    if let timeout {
      (options.loadTimeout, options.startTimeout) = (timeout, max(timeout, options.startTimeout))
    }
    return options
  }

  /// Gives workers the rights, the standard input and the lines of output that the plugin would have in this process.
  /// Their ends do not count for the quarantine, as those of a plugin in this process do not: its author repeats a
  /// crash.
  mutating func useRightsOfUser() {
    (capabilities, inheritsInput, longestLine) = (.unrestricted, true, String.longestLine)
    workerEnded = { _, _, _ in }
  }

  /// Returns the options with a name before each line of output.
  func namingOutput(_ name: String) -> IsolationOptions {
    var options = self
    options.output = { [output] line in output("\(name): \(line)") }
    return options
  }
}
