/// A session whose lines come from a file or a pipe. It ends at the first mistake.
@MainActor
struct ShellScript {
  /// The name of the script, for messages.
  let name: String
  let lines: LineReader

  /// Runs the lines, then ends the process.
  func run(_ shell: ShellSession) -> Never {
    var number = 1
    do throws(Failure) {
      while let text = try lines.next() {
        let next = try shell.run(try Self.line(number == 1 ? text.withoutByteOrderMark : text))
        shell.session.loop.runPosted()
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
    shell.session.end(.fulfilled)
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
    let prefix = "plugin-host: "
    let first = failure.lines.first.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 } ?? ""
    var failure = failure
    failure.lines = ["\(prefix)\(name):\(number): \(first)"] + failure.lines.dropFirst()
    failure.facts.line = number
    StructuredError.write(failure)
  }
}
