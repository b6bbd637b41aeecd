import CPluginEdge
import Glibc

/// Receives bytes from a socket, with descriptors.
struct IncomingBytes {
  /// The process that receives, for messages.
  let receiver: String
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var descriptors = [Int32](repeating: -1, count: Int(PLUGIN_SEALED_MESSAGE))

  init(receiver: String) { self.receiver = receiver }

  enum Outcome {
    case received
    /// A socket that does not block has no bytes.
    case nothing
    /// The end of the stream, or an error of the socket.
    case ended
  }

  /// Receives the bytes that have arrived, and appends them to `reader`.
  ///
  /// - Throws: `FrameError` if more descriptors arrived than a frame, or this process, may have.
  mutating func receive(_ socket: Int32, _ reader: inout FrameReader) throws(FrameError) -> Outcome {
    while true {
      var count = 0
      let received = buffer.withUnsafeMutableBytes { bytes in
        plugin_sealed_receive(socket, bytes.baseAddress.unsafelyUnwrapped, bytes.count, &descriptors, &count)
      }
      if received < 0, errno == EINTR { continue }
      if received < 0, errno == EAGAIN { return .nothing }
      if received < 0, errno == EBADMSG {
        throw FrameError(description: "more descriptors than a frame may have")
      }
      if received < 0, errno == EMFILE {
        throw FrameError(
          description: "shared memory or files, for which \(receiver) has no descriptor: \(SystemLimit.descriptors)",
          isOverLimit: true)
      }
      guard received > 0 else {
        descriptors[..<count].forEach { plugin_sealed_close($0) }
        return .ended
      }
      buffer.withUnsafeBytes {
        reader.append(UnsafeRawBufferPointer(rebasing: $0[..<received]), descriptors[..<count])
      }
      return .received
    }
  }
}

/// Descriptors that were received, and that no frame has taken yet. Those that are left are closed.
final class ReceivedDescriptors {
  @exclusivity(unchecked) private(set) var all: [Int32] = []

  deinit { all.forEach { plugin_sealed_close($0) } }

  func append(_ descriptors: ArraySlice<Int32>) { all += descriptors }

  /// Removes and returns the oldest descriptor; the caller owns it.
  func takeFirst() -> Int32 { all.removeFirst() }
}
