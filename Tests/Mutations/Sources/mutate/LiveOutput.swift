import Foundation
import Mutating

/// The output of a running program, read line by line as it arrives.
final class LiveOutput {
  private let reading: Int32
  let writing: Int32
  private var scanner = FailureScanner()

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw Failure("pipe: \(String(cString: strerror(errno)))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit { close(reading) }

  /// Waits until a test of the program fails, which ends the program, or until the program ends.
  func watch(_ process: pid_t) -> (status: Int32, usage: rusage, hasFailed: Bool) {
    close(writing)
    var (status, usage): (Int32, rusage) = (0, rusage())
    var hasFailed = false
    var isOpen = true
    while true {
      // A child that a test left running keeps the pipe open.
      if isOpen && isReady(within: 50) { isOpen = read() }
      if scanner.hasFailure && !hasFailed {
        hasFailed = true
        kill(-process, SIGKILL)
        kill(process, SIGKILL)
      }
      if wait4(process, &status, isOpen && !hasFailed ? WNOHANG : 0, &usage) == process { break }
    }
    while isOpen && isReady(within: 0) { isOpen = read() }
    return (status, usage, hasFailed || scanner.hasFailure)
  }

  private func isReady(within milliseconds: Int32) -> Bool {
    var ready = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
    return poll(&ready, 1, milliseconds) > 0
  }

  /// Reads the available bytes. Returns false at the end of the output.
  private func read() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = Foundation.read(reading, &bytes, bytes.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    scanner.take(bytes[..<count])
    return true
  }
}
