import Glibc

/// Reads lines that are typed and edited on a terminal, within one row.
@MainActor
final class LineEditor {
  enum Input: Equatable {
    case line(String)
    /// Ctrl-D on an empty line, or the terminal's end.
    case end
    case signal(Int32)
  }

  /// Completions at the cursor: the number of characters before it that are replaced, and the replacements.
  struct Completion: Equatable {
    var replaced: Int
    var candidates: [String]
  }

  private let terminal: Terminal
  private let loop: MainLoop
  private let prompt: String
  private let complete: (String) -> Completion
  private var history: ShellHistory
  private var decoder = KeyDecoder()
  /// Bytes that were read after the end of the last line.
  private var typed: ArraySlice<UInt8> = []
  private var line = EditedLine()
  private var isAtEnd = false

  init(
    terminal: Terminal, loop: MainLoop, prompt: String, history: ShellHistory,
    complete: @escaping (String) -> Completion
  ) {
    (self.terminal, self.loop, self.prompt) = (terminal, loop, prompt)
    (self.history, self.complete) = (history, complete)
  }

  /// Reads a line. Posted jobs run meanwhile. An interruption after the end of the line is kept for the call that the
  /// line makes.
  func read() -> Input {
    guard let mode = RawMode(descriptor: STDIN_FILENO) else { return .end }
    defer { mode.restore() }
    line = EditedLine()
    history.begin()
    draw()
    while true {
      while let byte = typed.popFirst() {
        if let key = decoder.key(byte), let input = apply(key) { return input }
      }
      if isAtEnd { return finish(.end) }
      if let signal = loop.run(until: { Interrupts.isRequested }, orReadable: STDIN_FILENO) {
        return finish(.signal(signal))
      }
      if Interrupts.isRequested {
        Interrupts.clear()
        _ = apply(.interrupt)
      } else {
        readBytes()
      }
    }
  }

  private func readBytes() {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
    if count > 0 { typed = buffer[..<count] } else if count == 0 || errno != EINTR && errno != EAGAIN { isAtEnd = true }
  }

  /// Applies a key. Returns the input if that ends the line.
  private func apply(_ key: Key) -> Input? {
    switch key {
    case .enter:
      // Cleared while Ctrl-C is still a key, before the line's end is visible: later interruptions are kept.
      Interrupts.clear()
      line.moveToEnd()
      draw()
      history.add(line.text)
      return finish(.line(line.text))
    case .end where line.characters.isEmpty: return finish(.end)
    case .interrupt:
      write("^C\r\n")
      line = EditedLine()
      history.begin()
    case .tab: completeWord()
    case .up: if let text = history.previous(line.text) { line = EditedLine(text) }
    case .down: if let text = history.next() { line = EditedLine(text) }
    case .clear: write("\u{1B}[H\u{1B}[2J")
    default: line.apply(key)
    }
    draw()
    return nil
  }

  private func completeWord() {
    let completion = complete(line.textBeforeCursor)
    guard let first = completion.candidates.first else { return }
    let common = completion.candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    let typed = line.textBeforeCursor.suffix(completion.replaced)
    if common.count > typed.count || completion.candidates.count == 1 {
      line.deleteBackward(completion.replaced)
      let isWhole = completion.candidates.count == 1 && !common.hasSuffix("=") && !common.hasSuffix(".")
      line.insert(common + (isWhole ? " " : ""))
    } else {
      list(completion.candidates)
    }
  }

  /// Writes the candidates in columns below the line.
  private func list(_ candidates: [String]) {
    let width = (candidates.map(\.columns).max() ?? 0) + 2
    let perRow = max(1, terminal.size.columns / width)
    var text = "\r\n"
    for start in stride(from: 0, to: candidates.count, by: perRow) {
      let row = candidates[start..<min(start + perRow, candidates.count)]
      text += row.map { $0.displayLine.padded(to: width) }.joined() + "\r\n"
    }
    write(text)
  }

  private func draw() {
    let (text, column) = line.window(width: max(8, terminal.size.columns - prompt.columns - 1))
    let place = prompt.columns + column
    write("\r\(prompt)\(text.displayCharacters)\u{1B}[K\r" + (place > 0 ? "\u{1B}[\(place)C" : ""))
  }

  private func finish(_ input: Input) -> Input {
    write("\r\n")
    return input
  }

  private func write(_ text: String) { StandardError.write(text) }
}

extension EditedLine {
  /// Applies an editing key.
  fileprivate mutating func apply(_ key: Key) {
    switch key {
    case .text(let text): insert(text)
    case .backspace: deleteBackward()
    case .delete, .end: deleteForward()
    case .left: moveLeft()
    case .right: moveRight()
    case .home: moveToStart()
    case .lineEnd: moveToEnd()
    case .wordLeft: moveWordLeft()
    case .wordRight: moveWordRight()
    case .killToEnd: deleteToEnd()
    case .killToStart: deleteToStart()
    case .killWord: deleteWord()
    case .enter, .tab, .interrupt, .up, .down, .clear, .other: break
    }
  }
}

extension String {
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }

  /// The text without control characters, which have no columns.
  fileprivate var displayCharacters: String {
    String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isControl }))
  }
}
