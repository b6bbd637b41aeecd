import CPluginEdge
import Glibc
import Synchronization

/// The worker's end of the socket. Frames are sent whole, in the order of the calls, from any thread.
///
/// Sending may wait, which is safe because the host always reads. Once the host has closed its end, the process ends,
/// because it has no purpose. A child that the plugin forks has no channel: its copies of the worker's promises and
/// callbacks send nothing.
final class WorkerChannel: Sendable {
  private struct Corked {
    var isOn = false
    var bytes: [UInt8] = []
  }

  private let socket: Int32
  private let corked = Mutex(Corked())
  /// The maximum number of bytes that wait for further frames.
  private static let mostCorked = 1 << 14

  /// Takes over the socket.
  init(moving descriptor: Int32) {
    socket = Self.raised(descriptor)
    plugin_process_serve(socket)
  }

  /// Moves a descriptor away from the low numbers, which code that tidies up closes. Returns its new number.
  static func raised(_ descriptor: Int32) -> Int32 {
    guard descriptor >= 0 else { return descriptor }
    let highest = [900, 300, 50].lazy.map { fcntl(descriptor, F_DUPFD_CLOEXEC, Int32($0)) }.first { $0 >= 0 }
    guard let highest else {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      return descriptor
    }
    close(descriptor)
    return highest
  }

  /// Whether this process is a child that a plugin has forked from its worker. Other threads of the worker may have had
  /// locks at that time, so it takes none.
  static var isInChild: Bool { plugin_process_is_child_of_worker() }

  /// Sends a frame; in a child, none. A body that cannot be encoded is reported by the result, and nothing is sent.
  func send(_ frame: Frame) -> CBORError? {
    guard !Self.isInChild else { return nil }
    do {
      let encoded = try frame.encoded()
      corked.withLock { corked in
        let size = corked.bytes.count + encoded.bytes.count
        if corked.isOn, !encoded.hasDescriptors, size <= Self.mostCorked { return corked.bytes += encoded.bytes }
        flush(&corked)
        write(encoded)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Lets small frames wait, to be sent together.
  func cork() { corked.withLock { $0.isOn = true } }

  /// Sends the frames that wait. Later ones wait still.
  func flush() { corked.withLock { flush(&$0) } }

  /// Sends the frames that wait, and lets none wait any more.
  func uncork() {
    corked.withLock { corked in
      corked.isOn = false
      flush(&corked)
    }
  }

  private func flush(_ corked: inout Corked) {
    if corked.bytes.isEmpty { return }
    write(EncodedFrame(bytes: corked.bytes))
    corked.bytes.removeAll(keepingCapacity: true)
  }

  private func write(_ frame: EncodedFrame) {
    var sent = 0
    while sent < frame.bytes.count {
      let count = OutgoingFrames.sendBytes(
        frame.bytes[sent...], sent == 0 ? frame : EncodedFrame(), socket, waits: true)
      if count > 0 {
        sent += count
      } else if errno == ETOOMANYREFS {
        // Too many descriptors are in flight, until the host reads.
        poll(nil, 0, 1)
      } else if errno != EINTR {
        Self.exitNow()
      }
    }
  }

  /// Receives bytes and handles the frames in them. Ends the process once the host has closed the socket.
  func receive(_ stream: inout FrameStream, _ handle: (Frame) throws(FrameError) -> Void) {
    do {
      guard case .received = try stream.incoming.receive(socket, &stream.reader) else {
        Self.fail("plugin-worker: the socket to the host is closed")
      }
      while let frame = try stream.reader.next() { try handle(frame) }
    } catch {
      Self.fail("plugin-worker: the host sent \(error)")
    }
  }

  static func fail(_ message: String) -> Never {
    _ = "\(message)\n".withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
    exitNow()
  }

  /// Ends the process without running any code of the plugin.
  static func exitNow() -> Never {
    plugin_process_exit_now()
  }
}

/// The bytes of the host that no frame has taken yet.
struct FrameStream {
  var incoming = IncomingBytes(receiver: "the worker")
  var reader = FrameReader(leavingCalls: true)
}
