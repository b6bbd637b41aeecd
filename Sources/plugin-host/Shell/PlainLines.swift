import Glibc

/// Reads lines that are typed on a terminal that cannot be drawn on. The terminal itself edits them.
@MainActor
final class PlainLines {
  private let loop: MainLoop
  private let prompt: String
  private let lines = LineReader(descriptor: STDIN_FILENO)

  init(loop: MainLoop, prompt: String) { (self.loop, self.prompt) = (loop, prompt) }

  /// Reads a line. Posted jobs run meanwhile.
  func read() -> LineEditor.Input {
    while true {
      StandardError.write(prompt)
      // A terminal has a whole line, or none, to read.
      if let signal = loop.run(until: { Interrupts.isRequested }, orReadable: STDIN_FILENO) { return .signal(signal) }
      if Interrupts.isRequested {
        // The terminal has dropped the text of the line.
        Interrupts.clear()
        StandardError.write("\n")
        continue
      }
      do throws(Failure) {
        return try lines.next()
      } catch {
        StructuredError.write(error)
        return .end
      }
    }
  }
}
