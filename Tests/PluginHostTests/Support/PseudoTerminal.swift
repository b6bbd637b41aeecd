import Foundation
import Glibc

/// A pseudo-terminal, whose output a test can read.
final class PseudoTerminal: @unchecked Sendable {
  /// The program's side.
  private let slave: Int32
  private let master: Int32

  /// Guards the following fields, and signals their changes.
  private let condition = NSCondition()
  private var bytes: [UInt8] = []
  private var isOver = false
  private var isHungUp = false

  init(columns: UInt16 = 80, rows: UInt16 = 24) {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // The work of grantpt(3) and its relatives, which Swift's Glibc module does not offer.
    var lock: Int32 = 0
    var number: UInt32 = 0
    let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    precondition(
      master >= 0 && ioctl(master, setLock, &lock) == 0 && ioctl(master, getNumber, &number) == 0, "no pseudo-terminal")
    slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    precondition(slave >= 0, "no pseudo-terminal")
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        // A read that waits would keep the terminal open after hangUp().
        var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        if poll(&ready, 1, 20) == 0 {
          guard closesIfHungUp() else { continue }
          return
        }
        let count = read(master, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        // EIO: no program has the other side any more.
        note(buffer.prefix(max(count, 0)), isOver: count <= 0)
        if count <= 0 { return }
      }
    }
  }

  deinit { if !isHungUp { close(master) } }

  /// Closes the user's side, as the end of a connection does, and waits until it is closed. Nothing can be typed then.
  func hangUp() {
    close(slave)
    condition.lock()
    isHungUp = true
    while !isOver { condition.wait() }
    condition.unlock()
  }

  /// Closes the user's side if that was asked for. Returns whether it did.
  private func closesIfHungUp() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard isHungUp else { return false }
    close(master)
    isOver = true
    condition.broadcast()
    return true
  }

  /// A handle for the standard streams of a process.
  var handle: FileHandle { FileHandle(fileDescriptor: slave, closeOnDealloc: false) }

  /// Whether the terminal is in its initial mode: programs get whole lines, and each key is echoed.
  var isInLineMode: Bool {
    var mode = termios()
    let wanted = tcflag_t(ICANON | ECHO | ISIG)
    return tcgetattr(slave, &mode) == 0 && mode.c_lflag & wanted == wanted
  }

  /// Sends keys as a person types them.
  func type(_ text: String) {
    let bytes = Array(text.utf8)
    precondition(write(master, bytes, bytes.count) == bytes.count)
  }

  /// Waits until the output satisfies the condition, or no more can arrive; at most a minute. Returns whether the
  /// condition holds.
  @discardableResult
  func wait(until isSo: (String) -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 60)
    condition.lock()
    defer { condition.unlock() }
    while !isOver && !isSo(String(decoding: bytes, as: UTF8.self)) {
      if !condition.wait(until: deadline) { break }
    }
    return isSo(String(decoding: bytes, as: UTF8.self))
  }

  /// Closes the terminal, and returns all output once every program has closed it, too.
  func contents() -> String {
    close(slave)
    wait { _ in false }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func note(_ more: ArraySlice<UInt8>, isOver: Bool) {
    condition.lock()
    bytes += more
    self.isOver = isOver
    condition.broadcast()
    condition.unlock()
  }
}
