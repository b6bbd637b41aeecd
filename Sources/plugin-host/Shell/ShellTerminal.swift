import Glibc

/// An interactive session at a terminal. A mistake does not end it.
@MainActor
struct ShellTerminal {
  private static let prompt = "plugin-host> "

  /// Nil unless standard input is a terminal.
  init?() { guard Terminal.isTerminal(STDIN_FILENO) else { return nil } }

  /// Runs the lines, then ends the process.
  func run(_ shell: ShellSession) -> Never {
    let read = reader(of: shell)
    while true {
      switch read() {
      case .end: shell.session.end(.fulfilled)
      case .signal(let signal): shell.session.end(by: signal)
      case .line(let text): if let end = run(text, shell) { end() }
      }
    }
  }

  /// Returns the function that reads a line: an editor, if standard error is a terminal that can be drawn on.
  private func reader(of shell: ShellSession) -> () -> LineEditor.Input {
    guard let terminal = Terminal(descriptor: STDERR_FILENO), terminal.canDraw else {
      let lines = PlainLines(loop: shell.session.loop, prompt: Self.prompt)
      return { lines.read() }
    }
    let editor = LineEditor(
      terminal: terminal, loop: shell.session.loop, prompt: Self.prompt,
      history: ShellHistory(path: ShellHistory.defaultPath), complete: { shell.completion(of: $0) })
    return { editor.read() }
  }

  /// Runs a line. Returns the end of the process, if the line asks for it.
  private func run(_ text: String, _ shell: ShellSession) -> (@MainActor () -> Never)? {
    do {
      switch try shell.run(try ShellLine(parsing: text)) {
      case .line: break
      case .end: return { shell.session.end(.fulfilled) }
      case .interrupted: StandardError.write(lines: ["plugin-host: interrupted"])
      case .signal(let signal): return { shell.session.end(by: signal) }
      }
    } catch let error as ShellLine.ParseError {
      StructuredError.write(error.failure)
    } catch let failure as Failure {
      StructuredError.write(failure)
    } catch {
      StandardError.write(lines: ["plugin-host: \(error)"])
    }
    return nil
  }
}
