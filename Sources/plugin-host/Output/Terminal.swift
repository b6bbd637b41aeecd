import Glibc

/// A terminal behind a descriptor.
struct Terminal: Sendable {
  var descriptor: Int32
  /// Whether the terminal supports drawing: moving the cursor and rewriting lines.
  var canDraw: Bool
  var hasColor: Bool
  var hasUnicode: Bool

  /// The terminal of `descriptor`; nil if it is not a terminal.
  init?(descriptor: Int32) {
    guard Self.isTerminal(descriptor) else { return nil }
    self.descriptor = descriptor
    canDraw = Environment["TERM"] != nil && Environment["TERM"] != "dumb"
    hasColor = canDraw && Environment["NO_COLOR"] == nil
    // POSIX: the first of these that is set decides.
    let locale = Environment["LC_ALL"] ?? Environment["LC_CTYPE"] ?? Environment["LANG"] ?? ""
    hasUnicode = locale.lowercased().contains("utf-8") || locale.lowercased().contains("utf8")
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The current columns and rows; 80 by 24 if the terminal does not report them.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}
