/// A message between host and worker: 16 bytes of header, then the encoding of one value. `docs/isolation.md` has the
/// format.
///
///     0   u32  the length of the body in bytes       all numbers little-endian
///     4   u8   the version of the format
///     5   u8   the kind
///     6   u8   the count of blocks of shared memory, and
///     7   u8   that of open files, whose descriptors come with the first byte of the frame, in this order
///     8   u64  the request that the frame belongs to; 0: none
struct Frame: Sendable {
  /// The meaning of a frame. Odd numbers are sent by the host, even ones by the worker.
  enum Kind: UInt8, Sendable {
    /// The first frame of each side: versions.
    case hello = 1
    case ready = 2
    /// Maps a plugin; answered by its description, or by `failed`.
    case open = 3
    case opened = 4
    /// Calls the plugin's load(); answered by `loaded`, or by `failed`.
    case load = 5
    case loaded = 6
    case failed = 8
    /// Reports that the rules of the program admit the plugin's files, before any code of them runs.
    case admitted = 36
    /// Calls a function; answered once by `fulfilled` or `rejected`, after its `progress`.
    case call = 7
    case fulfilled = 10
    case rejected = 12
    case progress = 14
    /// Asks to stop a call.
    case cancel = 9
    /// Passes a request to cancel to the promise that the function returned.
    case requestCancel = 27
    /// Settles a promise that was an argument.
    case settle = 11
    /// Calls a callback that was an argument; answered by `returned`. The worker numbers its request.
    case callback = 16
    case returned = 13
    /// Reports that a callback will not be called any more.
    case released = 18
    /// Calls another plugin; answered by `answered`. The worker numbers its request.
    case foreign = 20
    case answered = 15
    /// Asks to stop a call of another plugin.
    case foreignCancel = 22
    /// Passes a request to cancel to the promise of a call of another plugin.
    case foreignRequestCancel = 34
    case log = 24
    /// Asks to settle a promise that was an argument: the call whose result it is had already ended.
    case wanted = 30
    /// Asks the worker to keep the result of a call, because a call that is not sent yet takes it.
    case keep = 25
    /// Answers a call whose result a later call takes: the worker keeps it. The body is its size in bytes.
    case kept = 32
    /// `fetch` asks for a result that the worker keeps, and is answered as its call; `drop` frees the result.
    case fetch = 21
    case drop = 23
    /// Releases exports of handles (`HandleTable`).
    case release = 29
    /// Calls unload(); answered by `unloaded`, after which the worker exits.
    case unload = 17
    case unloaded = 26
    /// Asks whether the worker still reads; answered by `pong`.
    case ping = 19
    case pong = 28
  }

  static let version: UInt8 = 1
  static let headerSize = 16
  private static let emptyHeader = [UInt8](repeating: 0, count: headerSize)
  /// The longest body.
  static let maximumLength = 1 << 28
  /// The maximum number of blocks of shared memory; further bytes are part of the body.
  static let maximumBlocks = 64
  /// The maximum number of open files.
  static let maximumFiles = 16

  /// The minimum size of a result that a worker keeps, in bytes. Sending a smaller one takes no longer than asking for
  /// it.
  static let leastKept = 4096

  let kind: Kind
  /// The number of the request.
  let request: UInt64
  let body: PluginValue
  /// The encoding of a body that is read later; the body is void then.
  let encoding: ArraySlice<UInt8>
  /// Shared memory that the body refers to by its index.
  let memory: [SharedBytes]
  /// The open files of a body that is read later.
  let files: [OpenFile]

  init(
    _ kind: Kind, _ request: UInt64 = 0, _ body: PluginValue = .void, encoding: ArraySlice<UInt8> = [],
    memory: [SharedBytes] = [], files: [OpenFile] = []
  ) {
    self.kind = kind
    self.request = request
    self.body = body
    self.encoding = encoding
    self.memory = memory
    self.files = files
  }

  /// Returns the bytes of the frame. Large bytes of the body are copied to shared memory.
  ///
  /// - Throws: `CBORError` if the body is nested too deeply or too long, or has too many open files.
  func encoded() throws(CBORError) -> EncodedFrame {
    // Captures the body alone: a copy of a frame takes longer.
    try Self.encoded(kind, request, sharing: memory) { [body] (encoder) throws(CBORError) in try encoder.append(body) }
  }

  /// Returns the bytes of a frame whose body the closure appends.
  static func encoded(
    _ kind: Kind, _ request: UInt64, sharing memory: [SharedBytes] = [],
    _ body: (inout CBOREncoder) throws(CBORError) -> Void
  ) throws(CBORError) -> EncodedFrame {
    var encoder = CBOREncoder(header: emptyHeader, sharing: memory)
    try body(&encoder)
    let (shared, files) = (encoder.memory ?? [], encoder.files)
    let length = encoder.bytes.count - headerSize
    guard length <= maximumLength else {
      throw CBORError(offset: nil, message: "takes \(length) bytes, more than the \(maximumLength) of a frame")
    }
    encoder.bytes.withUnsafeMutableBytes { bytes in
      bytes.storeBytes(of: UInt32(length).littleEndian, toByteOffset: 0, as: UInt32.self)
      bytes[4] = version
      bytes[5] = kind.rawValue
      bytes[6] = UInt8(shared.count)
      bytes[7] = UInt8(files.count)
      bytes.storeBytes(of: request.littleEndian, toByteOffset: 8, as: UInt64.self)
    }
    return EncodedFrame(bytes: encoder.bytes, memory: shared, files: files)
  }
}

extension Frame.Kind {
  /// The maximum number of values in the body. It is low for kinds whose bodies have few values, because a value takes
  /// many times the memory of its encoding.
  var maximumCount: Int {
    switch self {
    case .hello, .ready, .admitted, .loaded, .progress, .released, .foreignCancel, .foreignRequestCancel, .log, .ping,
      .pong, .cancel, .requestCancel, .wanted, .keep, .kept, .fetch, .drop:
      16
    default: CBOR.maximumCount
    }
  }
}

/// The error of bytes that are not frames: the sender is not trusted any more.
struct FrameError: Error, Equatable, CustomStringConvertible {
  let description: String
  /// Whether the frame exceeds a limit that the program has set, and none of the format.
  var isOverLimit = false
}
