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
      let encoded = try frame.encoded()
      lock.withLock { _ in write(encoded) }
      return nil
    } catch {
      return error
    }
  }

  private func write(_ frame: EncodedFrame) {
    var sent = 0
    while sent < frame.bytes.count {
      let count = OutgoingFrames.sendBytes(frame.bytes[sent...], sent == 0 ? frame.memory : [], socket, waits: true)
      if count > 0 {
        sent += count
      } else if errno == ETOOMANYREFS {
        // Too many descriptors are on their way, until the host reads.
        poll(nil, 0, 1)
      } else if errno != EINTR {
        Self.vanish()
      }
    }
  }

  /// Reads frames until the host closes the socket, then ends the process.
  func serve(_ handle: (Frame) throws(FrameError) -> Void) -> Never {
    var reader = FrameReader()
    var incoming = IncomingBytes()
    while true {
      do {
        guard case .received = try incoming.receive(socket, &reader) else {
          Self.complain("plugin-worker: the socket to the host is closed")
        }
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
    plugin_process_vanish()
  }
}
