/// Sends frames to the open worker of a link.
///
/// It has a lock of its own, which is taken before that of the link's state: the kernel may run the worker, and the
/// thread that handles its answer, before `send()` returns.
struct FrameSender {
  /// The socket of the open worker; -1: there is none.
  private var socket: Int32 = -1
  private var generation = 0
  private var outgoing = OutgoingFrames()
  /// The number of bytes of the frames, and of their shared memory, sent to all workers.
  private(set) var sent: UInt64 = 0

  /// The maximum number of bytes that wait for a worker that does not read.
  private static let maximum = 1 << 29

  /// Whether the bytes that wait have reached the maximum.
  var isFull: Bool { outgoing.size >= Self.maximum }

  /// Whether frames wait for descriptors, not for space in the socket.
  var lacksDescriptors: Bool { outgoing.lacksDescriptors }

  mutating func open(_ socket: Int32, _ generation: Int) { (self.socket, self.generation) = (socket, generation) }

  /// Drops the frames that wait. Call it before the socket is closed.
  mutating func close() { (socket, outgoing) = (-1, OutgoingFrames()) }

  /// Sends a frame, if a worker is open; with a generation, only to that one. Returns whether something is left for the
  /// thread that serves the link.
  mutating func send(_ frame: EncodedFrame, to generation: Int? = nil) -> Bool {
    guard socket >= 0, generation == nil || generation == self.generation else { return false }
    // The thread that serves the link then kills the worker.
    guard !isFull else { return true }
    sent += frame.size
    return outgoing.send(frame, socket)
  }

  /// Sends waiting frames until the socket would block. Returns whether some are left.
  mutating func flush() -> Bool { outgoing.flush(socket) }
}
