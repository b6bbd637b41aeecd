import Glibc

/// A terminal that gives each key at once, without an echo, and Ctrl-C as a key; as it was before after `restore()`.
struct RawMode {
  private let descriptor: Int32
  private let previous: termios

  /// Nil if the descriptor is no terminal.
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
