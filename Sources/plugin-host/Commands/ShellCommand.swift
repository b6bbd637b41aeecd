import ArgumentParser
import PluginRuntime

struct ShellCommand: ParsableCommand, WritesResults, RunsPlugins {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Call functions one after the other, in a session that keeps their results.",
    usage: "plugin-host shell [OPTION]... [SCRIPT]",
    discussion: """
      Each line is a call, PLUGIN.FUNCTION ARGUMENT..., whose result is printed; or NAME = PLUGIN.FUNCTION ARGUMENT..., \
      which keeps it. $NAME stands for the value, handles included, in later lines. The line "help" lists the commands.

      On a terminal lines are edited, completed by the tab key, and remembered; Ctrl-C interrupts the call that runs and \
      leaves the session open. A script, or standard input that is no terminal, ends at its first mistake.

      \(ExitStatus.help)
      """)

  @OptionGroup var host: HostOptions

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Give up a call after that time.", valueName: "seconds"),
    transform: Seconds.init(option:))
  var timeout: Seconds?

  @OptionGroup var output: OutputOptions

  @ArgumentParser.Argument(
    help: ArgumentHelp("A file of lines; without it, and for -, standard input.", valueName: "script"))
  var path: String?

  func validate() throws {
    guard output.writer.path == nil else {
      throw ValidationError("a session has many results; redirect standard output instead of --output")
    }
  }

  func run() throws {
    try MainActor.assumeIsolated { try runSession() }
  }

  @MainActor
  private func runSession() throws {
    let script = path == "-" ? nil : path
    let terminal = script == nil ? ShellTerminal() : nil
    let lines = terminal == nil ? try LineReader(path: script) : nil
    let shell = try ShellSession(options: host, output: output, timeout: timeout, isInteractive: terminal != nil)
    if let terminal { terminal.run(shell) }
    if let lines { ShellScript(name: script ?? "stdin", lines: lines).run(shell) }
  }
}
