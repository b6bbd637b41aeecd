import PluginRuntime

/// The plugins that a command needs, inspected but not loaded, each after those that it requires.
struct PluginPlan: Sendable {
  private(set) var plugins: [PluginDescription] = []
  private let finder: PluginFinder
  /// The default place of plugins; `nil`: this process, unless trust decides otherwise.
  private let place: PluginIsolation?
  private var places: [String: PluginIsolation] = [:]
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
    let place = given ?? Self.place(ofFile: file)
    let thread = Self.thread(for: place)
    try noteFolders(of: place, capabilities)
    let plugin =
      if let scanner { try scanner.description(of: file) } else { try inspect(file, in: place, thread, capabilities) }
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
    append(plugin, place, thread)
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

  /// Returns the place of a file for which none is set. An adoption file is judged without its library, which is
  /// unknown before the file is read.
  private static func place(ofFile file: String) -> PluginIsolation {
    Admission.isolates(file) ? .process : .inProcess
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
    let place = place ?? Self.place(ofFile: adoption.library)
    let thread = Self.thread(for: place)
    try noteFolders(of: place)
    let plugin =
      if let scanner {
        try scanner.description(of: adoption)
      } else {
        try Self.inspect(adoption, workers(for: place), on: thread)
      }
    append(plugin, place, thread)
    return plugin
  }

  private mutating func append(_ plugin: PluginDescription, _ place: PluginIsolation, _ thread: SerialThread?) {
    plugins.append(plugin)
    places[plugin.id] = place
    threads[plugin.id] = thread
  }

  /// Makes a thread for a plugin of that place; `nil` if the place needs none.
  private static func thread(for place: PluginIsolation) -> SerialThread? { place == .thread ? SerialThread() : nil }

  /// Reads the description in the file at `path`: a plugin's own, or that of the library that a YAML file adopts.
  private func inspect(
    _ path: String, in place: PluginIsolation, _ thread: SerialThread?, _ capabilities: Capabilities
  ) throws(Failure) -> PluginDescription {
    try finder.trust.check(library: path)
    var workers = workers(for: place)
    if let all = workers?.capabilities { workers?.capabilities = all.union(capabilities) }
    let name = Directory.name(of: path)
    workers = workers?.namingOutput(name)
    return try PluginOutput.attributing(to: name) { () throws(Failure) in
      guard AdoptionFile.isNamed(path) else { return try Self.inspect(plugin: path, workers, on: thread) }
      return try Self.inspect(AdoptionFile.read(path, trust: finder.trust), workers, on: thread)
    }
  }

  /// Notes the folders that a plugin of that place may write to, before its code runs.
  private func noteFolders(
    of place: PluginIsolation, _ capabilities: Capabilities = Capabilities()
  ) throws(Failure) {
    guard let workers = workers(for: place) else { return }
    WritableFolders.add(workers.capabilities.union(capabilities))
    try WritableFolders.checkPaths()
  }

  /// Returns the options of workers that inspect plugins of that place; `nil` for plugins that run in this process.
  private func workers(for place: PluginIsolation) -> IsolationOptions? { place == .process ? workers : nil }

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
      let place = adoption.file.map { "\($0): " } ?? ""
      let failure = Failure(loading: error, at: error.subject == adoption.file ? "" : place)
      let note = AdoptionFile.note(on: error, in: adoption)
      throw Failure(failure.status, lines: failure.lines + [note].compactMap(\.self))
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

  /// Returns the options with a name before each line of output.
  func namingOutput(_ name: String) -> IsolationOptions {
    var options = self
    options.output = { [output] line in output("\(name): \(line)") }
    return options
  }
}

/// Lookup of plugins by name: the id, or the id's last component.
extension [PluginDescription] {
  enum Lookup {
    case found(PluginDescription)
    /// The last component is ambiguous.
    case ambiguous([String])
    case unknown
  }

  func lookup(_ name: String) -> Lookup {
    if let plugin = first(where: { $0.id == name }) { return .found(plugin) }
    let matches = filter { $0.shortName == name }
    switch matches.count {
    case 0: return .unknown
    case 1: return .found(matches[0])
    default: return .ambiguous(matches.map(\.id))
    }
  }
}

extension PluginDescription {
  /// The last component of the id: `digest` of `org.example.digest`.
  var shortName: String { id.split(separator: ".").last.map(String.init) ?? id }

  /// Returns the function of that name.
  func function(named name: String) -> FunctionDescription? {
    functions.first { $0.name == name }
  }

  /// Returns the error for a missing function.
  func unknownFunction(_ function: String) -> Failure {
    let hint = Suggestion.near(function, among: functions.map(\.name))
    let message = "plugin-host: \(id) has no function \"\(function.truncated(to: 100))\"\(hint)".displayLine
    return Failure(.usage, lines: [message] + functionList)
  }

  /// The number of functions up to which an error lists them.
  static let mostListed = 40

  private var functionList: [String] {
    let file = adoption?.file ?? path
    switch functions.count {
    case 0: return ["plugin-host: it has none"]
    case ...Self.mostListed: return ["plugin-host: it has:"] + functions.map { "plugin-host:   \($0.signature)" }
    default:
      return ["plugin-host: it has \(functions.count) functions: plugin-host inspect \(file) lists them".displayLine]
    }
  }
}
