import CPluginEdge
import Glibc

/// A frame as bytes, and the shared memory that is sent with it.
struct EncodedFrame {
  var bytes: [UInt8] = []
  var memory: [SharedBytes] = []

  /// The number of bytes that cross, those of shared memory among them.
  var size: UInt64 { UInt64(memory.reduce(bytes.count) { $0 + $1.count }) }
}

/// Frames that wait until a socket takes them. The descriptors of a frame's shared memory are sent with its first byte;
/// then the frame's references to the memory are released. `SharedBytes` closes the descriptor with the last reference.
struct OutgoingFrames {
  private var bytes: [UInt8] = []
  /// The number of bytes at the beginning of `bytes` that were sent.
  private var sent = 0
  /// Shared memory that waits, by the offset of its frame.
  private var memory: [(offset: Int, blocks: [SharedBytes])] = []
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
      count = max(0, Self.send(frame.bytes[...], frame.memory, socket))
      if count == frame.bytes.count { return false }
    }
    append(frame, after: count)
    return true
  }

  /// Keeps a frame, of which a number of bytes has been sent, for `flush`.
  private mutating func append(_ frame: EncodedFrame, after count: Int) {
    if count == 0, !frame.memory.isEmpty {
      memory.append((bytes.count, frame.memory))
      sharedBytes += frame.memory.reduce(0) { $0 + $1.count }
    }
    bytes += frame.bytes[count...]
  }

  /// Sends the waiting bytes, as far as the socket takes it. Returns whether something is left.
  mutating func flush(_ socket: Int32) -> Bool {
    lacksDescriptors = false
    while sent < bytes.count {
      let isFirst = memory.first?.offset == sent
      let end = (isFirst ? memory.dropFirst() : memory[...]).first?.offset ?? bytes.count
      let count = Self.send(bytes[sent..<end], isFirst ? memory[0].blocks : [], socket)
      if count < 0, errno == EINTR { continue }
      // A closed socket is noticed by the code that reads from it.
      guard count > 0 else {
        let isFull = errno == EAGAIN
        lacksDescriptors = errno == ETOOMANYREFS
        dropSent()
        return isFull || lacksDescriptors
      }
      if isFirst { sharedBytes -= memory.removeFirst().blocks.reduce(0) { $0 + $1.count } }
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
    for index in memory.indices { memory[index].offset -= sent }
    sent = 0
  }

  /// The number of bytes in memory, sent ones included.
  var kept: Int { bytes.count }

  /// Sends bytes, with the descriptors of shared memory. Returns the number of sent bytes; -1 with errno on failure.
  private static func send(_ bytes: ArraySlice<UInt8>, _ memory: [SharedBytes], _ socket: Int32) -> Int {
    sendBytes(bytes, memory, socket, waits: false)
  }

  static func sendBytes(_ bytes: ArraySlice<UInt8>, _ memory: [SharedBytes], _ socket: Int32, waits: Bool) -> Int {
    bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return 0 }
      if memory.isEmpty { return plugin_process_send(socket, start, buffer.count, waits) }
      let descriptors = memory.map(\.descriptor)
      return withExtendedLifetime(memory) {
        plugin_sealed_send(socket, start, buffer.count, descriptors, descriptors.count, waits)
      }
    }
  }
}
