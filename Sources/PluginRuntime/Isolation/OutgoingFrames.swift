import CPluginEdge
import Glibc

/// A frame as bytes, and the shared memory and the open files that are sent with it.
struct EncodedFrame {
  var bytes: [UInt8] = []
  var memory: [SharedBytes] = []
  var files: [OpenFile] = []

  var hasDescriptors: Bool { !memory.isEmpty || !files.isEmpty }

  /// The number of bytes that cross, those of shared memory among them.
  var size: UInt64 { UInt64(memory.reduce(bytes.count) { $0 + $1.count }) }
}

/// Frames that wait until a socket takes them. The descriptors of a frame's shared memory and open files are sent with
/// its first byte; then the frame's references to them are released. `SharedBytes` and `OpenFile` close the descriptor
/// with the last reference.
struct OutgoingFrames {
  private var bytes: [UInt8] = []
  /// The number of bytes at the beginning of `bytes` that were sent.
  private var sent = 0
  /// Shared memory and open files that wait, by the offset of their frame.
  private var attached: [(offset: Int, to: EncodedFrame)] = []
  private var sharedBytes = 0
  /// Whether bytes wait because too many descriptors of the user are under way, of any of the user's processes
  /// (ETOOMANYREFS). The socket may have space meanwhile, so its events do not say when to try again.
  private(set) var lacksDescriptors = false

  /// The number of bytes that wait, those of shared memory among them.
  var size: Int { bytes.count - sent + sharedBytes }

  /// Sends a frame, or keeps the bytes that the socket does not take. Returns whether something is left.
  mutating func send(_ frame: EncodedFrame, _ socket: Int32) -> Bool {
    var count = 0
    if bytes.isEmpty {
      count = max(0, Self.send(frame.bytes[...], frame, socket))
      if count == frame.bytes.count { return false }
    }
    append(frame, after: count)
    return true
  }

  /// Keeps a frame, whose first `count` bytes have been sent, for `flush`.
  private mutating func append(_ frame: EncodedFrame, after count: Int) {
    if count == 0, frame.hasDescriptors {
      attached.append((bytes.count, EncodedFrame(memory: frame.memory, files: frame.files)))
      sharedBytes += frame.memory.reduce(0) { $0 + $1.count }
    }
    bytes += frame.bytes[count...]
  }

  /// Sends waiting bytes until the socket would block. Returns whether some are left.
  mutating func flush(_ socket: Int32) -> Bool {
    lacksDescriptors = false
    while sent < bytes.count {
      let isFirst = attached.first?.offset == sent
      let end = (isFirst ? attached.dropFirst() : attached[...]).first?.offset ?? bytes.count
      let count = Self.send(bytes[sent..<end], isFirst ? attached[0].to : EncodedFrame(), socket)
      if count < 0, errno == EINTR { continue }
      // A closed socket is noticed by the code that reads from it.
      guard count > 0 else {
        let isFull = errno == EAGAIN
        lacksDescriptors = errno == ETOOMANYREFS
        dropSent()
        return isFull || lacksDescriptors
      }
      if isFirst { sharedBytes -= attached.removeFirst().to.memory.reduce(0) { $0 + $1.count } }
      sent += count
    }
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
    sent = 0
    return false
  }

  /// Drops the sent bytes once they are the greater part. `bytes` may never become empty.
  private mutating func dropSent() {
    guard sent > 1 << 20, sent > bytes.count - sent else { return }
    bytes.removeFirst(sent)
    for index in attached.indices { attached[index].offset -= sent }
    sent = 0
  }

  /// The number of bytes in memory, sent ones included.
  var kept: Int { bytes.count }

  /// Sends bytes, with the descriptors of a frame. Returns the number of sent bytes; -1 with errno on failure.
  private static func send(_ bytes: ArraySlice<UInt8>, _ frame: EncodedFrame, _ socket: Int32) -> Int {
    sendBytes(bytes, frame, socket, waits: false)
  }

  static func sendBytes(_ bytes: ArraySlice<UInt8>, _ frame: EncodedFrame, _ socket: Int32, waits: Bool) -> Int {
    bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return 0 }
      guard frame.hasDescriptors else { return plugin_process_send(socket, start, buffer.count, waits) }
      let descriptors = frame.memory.map(\.descriptor) + frame.files.map(\.descriptor)
      return withExtendedLifetime(frame) {
        plugin_sealed_send(socket, start, buffer.count, descriptors, descriptors.count, waits)
      }
    }
  }
}
