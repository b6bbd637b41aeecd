import CPluginEdge
import Glibc
import Synchronization

/// The worker's end of the socket. Frames are sent whole, in the order of the calls, from any thread.
///
/// Sending may wait: the host always reads. Once the host has closed its end the process ends, for it has no purpose.
final class WorkerChannel: Sendable {
  private let socket: Int32
  private let lock = Mutex(())

  /// Takes the socket away from the low numbers, which code that tidies up closes.
  init(moving descriptor: Int32) {
    let highest = [900, 300, 50].lazy.map { fcntl(descriptor, F_DUPFD_CLOEXEC, Int32($0)) }.first { $0 >= 0 }
    guard let highest else {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      socket = descriptor
      return
    }
    close(descriptor)
    socket = highest
  }

  /// Sends a frame. A body that cannot be encoded is reported by the result, and nothing is sent.
  func send(_ frame: Frame) -> CBORError? {
    do {
      let bytes = try frame.encoded()
      lock.withLock { _ in write(bytes) }
      return nil
    } catch {
      return error
    }
  }

  private func write(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        bytes.baseAddress.map { plugin_process_send(socket, $0 + sent, bytes.count - sent, true) } ?? 0
      }
      if count > 0 { sent += count } else if errno != EINTR { Self.vanish() }
    }
  }

  /// Reads frames until the host closes the socket, then ends the process.
  func serve(_ handle: (Frame) throws(FrameError) -> Void) -> Never {
    var reader = FrameReader()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(socket, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { Self.complain("plugin-worker: the socket to the host is closed") }
      chunk.withUnsafeBytes { reader.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      do {
        while let frame = try reader.next() { try handle(frame) }
      } catch {
        Self.complain("plugin-worker: the host sent \(error)")
      }
    }
  }

  static func complain(_ message: String) -> Never {
    _ = "\(message)\n".withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    vanish()
  }

  /// Ends the process without running anything of the plugin's.
  static func vanish() -> Never {
    kill(getpid(), SIGKILL)
    while true { pause() }
  }
}
