/// A session whose lines come from a file or a pipe. It ends at the first mistake.
@MainActor
struct ShellScript {
  /// The name of the script, for messages.
  let name: String
  let lines: LineReader

  /// Runs the lines, then ends the process. While it waits for a line, posted jobs run, and a signal ends the session.
  func run(_ shell: ShellSession) -> Never {
    var number = 1
    let loop = shell.session.loop
    do throws(Failure) {
      while true {
        let text: String
        switch try lines.next(waiting: { loop.run(until: { false }, orReadable: $0) }) {
        case .line(let line): text = line
        case .end: shell.session.end(.fulfilled)
        case .signal(let signal): shell.session.end(by: signal)
        }
        let next = try shell.run(try Self.line(number == 1 ? text.withoutByteOrderMark : text))
        loop.runPosted()
        switch next {
        case .line, .interrupted: break
        case .end: shell.session.end(.fulfilled)
        case .signal(let signal): shell.session.end(by: signal)
        }
        number += 1
      }
    } catch {
      report(error, number)
      shell.session.end(error.status, deadline: .seconds(1))
    }
  }

  private static func line(_ text: String) throws(Failure) -> ShellLine {
    do throws(ShellLine.ParseError) {
      return try ShellLine(parsing: text)
    } catch {
      throw error.failure
    }
  }

  /// Writes the errors of a line, with its place.
  private func report(_ failure: Failure, _ number: Int) {
    var failure = failure.naming("\(name):\(number)")
    failure.facts.line = number
    StructuredError.write(failure)
  }
}
