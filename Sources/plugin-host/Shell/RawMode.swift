import Glibc

/// The raw mode of a terminal: it reports each key immediately, without an echo, Ctrl-C included. `restore()` ends it.
struct RawMode {
  private let descriptor: Int32
  private let previous: termios

  /// Puts the terminal into raw mode: no echo, no line editing, no signals. Nil if the descriptor is not a terminal, or
  /// its mode cannot be set.
  init?(descriptor: Int32) {
    var current = termios()
    guard tcgetattr(descriptor, &current) == 0 else { return nil }
    self.descriptor = descriptor
    previous = current
    current.c_iflag &= ~tcflag_t(ICRNL | INLCR | IXON)
    current.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    guard tcsetattr(descriptor, TCSADRAIN, &current) == 0 else { return nil }
  }

  func restore() {
    var previous = previous
    tcsetattr(descriptor, TCSADRAIN, &previous)
  }
}
