import CPluginEdge

/// Sends frames to the open worker of a link.
///
/// It has a lock of its own, which is taken before that of the link's state: the kernel may run the worker, and the
/// thread that handles its answer, before `send()` returns.
struct FrameSender {
  /// The socket of the open worker; -1: there is none.
  private var socket: Int32 = -1
  private var generation = 0
  private var outgoing = OutgoingFrames()
  /// The number of frames that are held back; 0: those that wait do so for the socket.
  private(set) var held = 0
  /// Whether the timer of `hold` runs.
  private var isTimed = false
  /// The number of bytes of the frames, and of their shared memory, sent to all workers.
  private(set) var sent: UInt64 = 0

  /// The maximum number of bytes that wait for a worker that does not read.
  private static let maximum = 1 << 29
  /// The maximum number of frames that are held back. The worker runs calls while the next ones are encoded.
  private static let mostHeld = 3
  /// The time in nanoseconds for which frames are held back at most.
  private static let longestHold: Int64 = 500_000

  /// Whether the bytes that wait have reached the maximum.
  var isFull: Bool { outgoing.size >= Self.maximum }

  mutating func open(_ socket: Int32, _ generation: Int) { (self.socket, self.generation) = (socket, generation) }

  /// Drops the frames that wait. Call it before the socket is closed.
  mutating func close() { (socket, outgoing, held, isTimed) = (-1, OutgoingFrames(), 0, false) }

  /// Sends a frame, if a worker is open; with a generation, only to that one. Returns whether something is left for the
  /// thread that serves the link.
  mutating func send(_ frame: EncodedFrame, to generation: Int? = nil) -> Bool {
    guard socket >= 0, generation == nil || generation == self.generation else { return false }
    // The thread that serves the link then kills the worker.
    guard !isFull else { return true }
    sent += frame.size
    guard held > 0 else { return outgoing.send(frame, socket) }
    outgoing.append(frame)
    return flush()
  }

  /// Holds a frame back, so that one system call sends it with others: `sendHeld`, the next frame that is not held
  /// back, or `flush` once `timer` has fired. Sends it at once if many are held back. Returns as `send`.
  mutating func hold(_ frame: EncodedFrame, _ timer: Int32) -> Bool {
    guard socket >= 0, held > 0 || outgoing.size == 0, held < Self.mostHeld else { return send(frame) }
    if !isTimed { plugin_process_set_timer(timer, Self.longestHold) }
    isTimed = true
    held += 1
    sent += frame.size
    outgoing.append(frame)
    return false
  }

  /// Notes that the timer of `hold` has fired. The caller then calls `flush`.
  mutating func noteTimer() { isTimed = false }

  /// Sends the frames that are held back. Returns as `flush`.
  mutating func sendHeld() -> Bool { held > 0 && flush() }

  /// Sends the frames that wait, as far as the socket takes them. Returns whether something is left.
  mutating func flush() -> Bool {
    held = 0
    return outgoing.flush(socket)
  }
}
