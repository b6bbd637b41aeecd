/// A session whose lines come from a file or a pipe. It ends at the first mistake.
@MainActor
struct ShellScript {
  /// The name of the script, for messages.
  let name: String
  let lines: LineReader

  /// Runs the lines, then ends the process.
  func run(_ shell: ShellSession) -> Never {
    var number = 0
    do {
      while var text = try lines.next() {
        number += 1
        if number == 1 { text = text.withoutByteOrderMark }
        let next: ShellSession.Next
        do {
          next = try shell.run(try ShellLine(parsing: text))
        } catch let mistake as ShellLine.Mistake {
          report(mistake.failure, number)
          shell.session.end(.usage, deadline: .seconds(1))
        } catch let failure as Failure {
          report(failure, number)
          shell.session.end(failure.status, deadline: .seconds(1))
        }
        shell.session.loop.runPosted()
        switch next {
        case .line, .interrupted: break
        case .end: shell.session.end(.fulfilled)
        case .signal(let signal): shell.session.end(by: signal)
        }
      }
    } catch {
      report(Failure(.usage, "\(error)"), number + 1)
      shell.session.end(.usage)
    }
    shell.session.end(.fulfilled)
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
