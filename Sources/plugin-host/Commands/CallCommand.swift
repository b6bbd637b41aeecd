import ArgumentParser
import Glibc
import PluginRuntime
import Promises

struct CallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Call one function of a plugin and print its result.",
    usage: "plugin-host call [OPTION]... PLUGIN FUNCTION [VALUE | NAME=VALUE]...",
    discussion: """
      HOW TO WRITE ARGUMENTS
        VALUE         for the next parameter that has no argument yet
        NAME=VALUE    for the parameter NAME
        @FILE         in place of a value: the content of a file
        -             in place of a value: standard input, to its end
        \\@TEXT, \\-    the texts @TEXT and -; a leading \\ is dropped before @, - and \\

      A value is written as its parameter's type wants it: 42, -1.5, true, any text; the text's UTF-8 for bytes. Negative \
      numbers need no care; before other values that begin with a dash write --.

      The result is one line of JSON on standard output, with bytes in base64.

      \(ExitStatus.help)
      """)

  @OptionGroup var host: HostOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Give up after that time, and discard the call.", valueName: "seconds"),
    transform: Seconds.init(option:))
  var timeout: Seconds?

  @OptionGroup var output: OutputOptions

  @ArgumentParser.Argument(help: "The plugin's path, with a slash in it, or its name or id in the search path.")
  var plugin: String

  @ArgumentParser.Argument(help: "The function's name.")
  var function: String

  @ArgumentParser.Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("What is passed to the function.", valueName: "argument"))
  var arguments: [String] = []

  func run() throws {
    try MainActor.assumeIsolated { try call() }
  }

  @MainActor
  private func call() throws {
    var plan = PluginPlan(finder: host.search.finder)
    let plugin = try plan.add(plugin)
    guard let function = plugin.function(named: function) else { throw plugin.lacks(function) }
    let values = try CommandLineArguments.arguments(arguments, for: function.signature)
    let session = try Session(plan, options: host)
    let call = SingleCall(function, of: plugin, in: session, display: host.progress.display(isTransient: true))
    call.start(values, timeout: timeout)
    if let signal = session.loop.run(until: { call.outcome != nil }) {
      call.interrupt()
      session.end(by: signal)
    }
    end(call, in: session)
  }

  @MainActor
  private func end(_ call: SingleCall, in session: Session) -> Never {
    do {
      switch call.outcome {
      case .success(let value):
        try output.writer.write(value)
        session.end(.fulfilled)
      case .failure(let failure):
        let hint = failure.status == .usage ? CommandLineArguments.hint(arguments, for: call.function.signature) : ""
        StandardError.write(lines: ["plugin-host: \(call.label): \(failure)\(hint)".displayLine])
        if failure.status == .usage { StandardError.write(lines: ["plugin-host: usage: \(call.function.signature)"]) }
        session.end(failure.status, deadline: .seconds(1))
      case nil:
        session.end(.rejected)
      }
    } catch {
      StandardError.write(lines: error.lines)
      session.end(error.status)
    }
  }
}
