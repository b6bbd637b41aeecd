import ArgumentParser
import Glibc
import PluginRuntime
import Promises

struct CallCommand: ParsableCommand, WritesResults, RunsPlugins {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Call one function of a plugin and print its result.",
    usage: """
      plugin-host call [OPTION]... PLUGIN FUNCTION [VALUE | NAME=VALUE]...
      plugin-host call [OPTION]... --signature TEXT LIBRARY [VALUE | NAME=VALUE]...
      """,
    discussion: """
      HOW TO WRITE ARGUMENTS
        VALUE         for the next parameter that has no argument yet
        NAME=VALUE    for the parameter NAME
        @FILE         in place of a value: the content of a file
        -             in place of a value: standard input, to its end
        \\@TEXT, \\-    the texts @TEXT and -; a leading \\ is dropped before @, - and \\
        -- TEXT...    values as they are, for the next parameters: no name, file or option is looked for in them

      --text NAME=TEXT is a value as it is for the parameter NAME.

      A value is written as its parameter's type wants it: 42, -1.5, true, any text; the text's UTF-8 for bytes; \
      JSON for structs and arrays; null for what may be absent. Negative numbers need no care; other values that \
      begin with a dash, or with a name and "=", stand behind --. Bytes that are not UTF-8 reach bytes parameters as they are.

      A callback, fn(...), is PLUGIN.FUNCTION, or an expression of the callback's arguments: compare='left - right'. Names \
      are those in the signature; $1, $2 are the arguments by number.

      Without a plugin, --signature says how a function of any shared library is called: \
      plugin-host call --signature 'pow(x: f64, y: f64) -> f64' libm.so.6 2 10. Nothing can check that the text is right: \
      take it from the library's header.

      plugin-host call PLUGIN FUNCTION --help shows the parameters of a function.

      The result is one line of JSON on standard output, with bytes in base64; --format has other forms. A function with \
      out parameters gives an object with their names, and "result"; --get prints one of them.

      \(ExitStatus.help)
      """)

  @OptionGroup var host: HostOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Give up after that time, and discard the call.", valueName: "seconds"),
    transform: Seconds.init(option:))
  var timeout: Seconds?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Call the function of this signature in a library, given by its path or a name such as libm.so.6.",
      valueName: "text"))
  var signature: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The library's name of the function of --signature, if it differs.", valueName: "name"))
  var symbol: String?

  @Option(
    name: .customLong("text"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A value as it is, for a parameter; may be given several times.", valueName: "name=text"),
    transform: VariableSetting.init(option:))
  var texts: [VariableSetting] = []

  @Option(
    name: .customLong("get"), parsing: .unconditional,
    help: ArgumentHelp(
      "Print a part of the result: the value of an out parameter, or a path such as rows[0].name.", valueName: "path"),
    transform: ResultPath.init(option:))
  var path = ResultPath()

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Write the events of all promises to a file: for Graphviz if its name ends in .dot, otherwise for Perfetto.",
      valueName: "file"))
  var trace: String?

  @OptionGroup var output: OutputOptions

  @ArgumentParser.Argument(help: "The plugin's path, with a slash in it, or its name or id in the search path.")
  var plugin: String

  @ArgumentParser.Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp(
      "The function's name, unless --signature has it, and the function's arguments.",
      valueName: "function> <argument"))
  var words: [String] = []

  func run() throws {
    try MainActor.assumeIsolated { try call() }
  }

  @MainActor
  private func call() throws {
    try CommandLineArguments.refuseOptions(
      words, among: CommandOptions(of: CallCommand.self).all.flatMap(\.names) + ["--help", "--version"])
    var plan = self.host.plan(self.host.search.finder)
    let (plugin, function, arguments) = try target(&plan)
    let shape = try shapeOfPart(of: function)
    let host = HostSlot()
    let callbacks = CallbackFinder(
      find: { (name, function) throws(Failure) in
        let plugin = try plan.add(name)
        guard let found = plugin.function(named: function) else { throw plugin.unknownFunction(function) }
        return (plugin, found)
      }, host: { host.host })
    let start = ContinuousClock.now
    let values = try CommandLineArguments.arguments(
      arguments, texts: texts, for: function.signature,
      limit: timeout.map { SingleCall.readingLimit($0, of: function, of: plugin, from: start) },
      callback: callbacks.callback)
    let readingTime = start.duration(to: .now)
    try output.writer.checkDestination()
    let traceFile = try trace.map { (path) throws(Failure) in try TraceFile(path) }
    let session = try Session(plan, options: self.host)
    host.host = session.host
    let call = SingleCall(function, of: plugin, in: session, display: self.host.progress.display(isTransient: true))
    call.start(values, timeout: timeout, after: readingTime)
    if let signal = session.loop.run(until: { call.outcome != nil }) {
      call.interrupt()
      try traceFile?.write()
      session.end(by: signal)
    }
    end(call, shape, in: session, traceFile)
  }

  /// Returns the type of the part that is printed.
  private func shapeOfPart(of function: FunctionDescription) throws(Failure) -> ResultShape {
    do {
      return try function.signature.shape.part(path)
    } catch {
      throw Failure(.usage, "--get \"\(path)\": \(error)".displayLine)
    }
  }

  private func part(of value: PluginValue) throws(Failure) -> PluginValue {
    do {
      return try path.part(of: value)
    } catch {
      throw Failure(.rejected, "--get \"\(path)\": \(error)".displayLine)
    }
  }

  /// Returns the called function, and the words of its arguments.
  func target(
    _ plan: inout PluginPlan
  ) throws(Failure) -> (plugin: PluginDescription, function: FunctionDescription, arguments: [String]) {
    if let signature {
      let plugin = try plan.add(Adoption(of: self.plugin, signature: parsed(signature), symbol: symbol))
      return (plugin, plugin.functions[0], words)
    }
    guard symbol == nil else { throw Failure(.usage, "--symbol needs --signature") }
    let plugin = try plan.add(self.plugin)
    let name = words.first ?? ""
    guard let function = plugin.function(named: name) else { throw plugin.unknownFunction(name) }
    return (plugin, function, Array(words.dropFirst()))
  }

  private func parsed(_ text: String) throws(Failure) -> Signature {
    do {
      return try Signature(parsing: text)
    } catch {
      throw Failure(.usage, lines: "plugin-host: --signature: \(error)".split(separator: "\n").map(String.init))
    }
  }

  func validate() throws {
    if signature == nil && words.isEmpty { throw ValidationError("Missing expected argument '<function>'") }
  }

  @MainActor
  private func end(_ call: SingleCall, _ shape: ResultShape, in session: Session, _ traceFile: TraceFile?) -> Never {
    do {
      try traceFile?.write()
      switch call.outcome {
      case .success(let value):
        let part = try part(of: value)
        try session.endingBySignals { () throws(Failure) in
          try output.writer(within: timeout).write(part, of: shape)
        }
        session.end(.fulfilled)
      case .failure(let failure):
        StructuredError.write(call.failure(failure))
        session.end(failure.status, deadline: .seconds(1))
      case nil:
        session.end(.rejected)
      }
    } catch {
      StructuredError.write(Failure(error.status, lines: error.lines, facts: call.facts))
      session.end(error.status)
    }
  }
}

extension ResultPath {
  fileprivate init(option text: String) throws(ValidationError) {
    do {
      try self.init(parsing: text)
    } catch {
      throw ValidationError(error.message)
    }
  }
}
