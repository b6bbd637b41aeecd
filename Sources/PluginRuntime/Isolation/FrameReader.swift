/// Takes frames out of a stream of bytes. For any bytes, the result is frames or one error.
struct FrameReader {
  private var bytes: [UInt8] = []
  /// The offset of the first byte that no frame has taken.
  private var start = 0
  /// Leases each handle in the frames; `nil` if the receiver checks handles itself.
  private let handles: HandleLeases?
  /// Whether the bodies of calls are left encoded.
  private let leavesCalls: Bool
  /// The maximum number of bytes of a frame, with its shared memory. A description may have more.
  private let limit: Int
  private let descriptors = ReceivedDescriptors()
  /// The number of bytes of the frames that were taken, and of their shared memory.
  private(set) var taken: UInt64 = 0

  init(handles: HandleLeases? = nil, leavingCalls leavesCalls: Bool = false, limit: Int = .max) {
    (self.handles, self.leavesCalls, self.limit) = (handles, leavesCalls, limit)
  }

  /// Appends bytes that have been received, and the descriptors that were received with them, which the reader owns
  /// from now on.
  mutating func append(_ received: UnsafeRawBufferPointer, _ descriptors: ArraySlice<Int32> = []) {
    if !descriptors.isEmpty { self.descriptors.append(descriptors) }
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.kept)
      start = 0
    } else if start > Self.kept {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += received
  }

  /// The capacity in bytes that is kept for the next frames.
  private static let kept = 1 << 20

  /// Whether received bytes are left that no frame has taken.
  var hasPart: Bool { start < bytes.count }

  /// Returns the next frame; `nil` if more bytes are needed.
  ///
  /// - Throws: `FrameError`, after which the stream cannot be read further.
  mutating func next() throws(FrameError) -> Frame? {
    // The end of a frame may arrive together with the beginning and the descriptors of the next one.
    guard descriptors.all.count <= 2 * (Frame.maximumBlocks + Frame.maximumFiles),
      start < bytes.count || descriptors.all.isEmpty
    else {
      throw FrameError(description: "descriptors that no frame announces")
    }
    guard bytes.count - start >= Frame.headerSize else { return nil }
    let (length, blocks, files, request) = header()
    let version = bytes[start + 4]
    guard version == Frame.version else {
      throw FrameError(description: "a frame of version \(version), expected \(Frame.version)")
    }
    guard let kind = Frame.Kind(rawValue: bytes[start + 5]) else {
      throw FrameError(description: "a frame of the unknown kind \(bytes[start + 5])")
    }
    guard blocks <= Frame.maximumBlocks else {
      throw FrameError(description: "a frame with \(blocks) blocks of memory, expected at most \(Frame.maximumBlocks)")
    }
    guard files <= Frame.maximumFiles else {
      throw FrameError(description: "a frame with \(files) open files, expected at most \(Frame.maximumFiles)")
    }
    let limit = kind == .opened ? Int.max : limit
    guard length <= min(Frame.maximumLength, limit) else {
      throw FrameError(
        description: "a frame of \(length) bytes, expected at most \(min(Frame.maximumLength, limit))",
        isOverLimit: length <= Frame.maximumLength)
    }
    let body = start + Frame.headerSize
    guard bytes.count - body >= length else { return nil }
    start = body + length
    let isLeft = kind == .call && leavesCalls
    let memory = try take(blocks, atMost: limit - length, mapping: isLeft)
    let open = try takeFiles(files)
    taken += UInt64(memory.reduce(Frame.headerSize + length) { $0 + $1.count })
    if isLeft { return Frame(kind, request, encoding: bytes[body..<start], memory: memory, files: open) }
    do {
      let value = try CBORDecoder.decode(
        bytes[body..<start], handles: handles, memory: memory, files: open, limit: kind.maximumCount)
      return Frame(kind, request, value, memory: memory)
    } catch {
      throw FrameError(description: "a frame of the kind '\(kind)' with a body that is not a value: \(error)")
    }
  }

  /// Takes the next blocks of shared memory. Those of calls are mapped, because their functions read them in place.
  private func take(_ count: Int, atMost limit: Int, mapping maps: Bool) throws(FrameError) -> [SharedBytes] {
    guard count <= descriptors.all.count else {
      throw FrameError(description: "a frame with \(count) blocks of memory, of which \(descriptors.all.count) came")
    }
    var memory: [SharedBytes] = []
    var left = min(SharedBytes.longest, limit)
    for _ in 0..<count {
      do {
        memory.append(try SharedBytes(receiving: descriptors.takeFirst(), atMost: left, mapping: maps))
      } catch {
        throw FrameError(
          description: error.description, isOverLimit: error.isOverLimit && limit < SharedBytes.longest)
      }
      left -= memory[memory.count - 1].count
    }
    return memory
  }

  /// Takes the next open files.
  private func takeFiles(_ count: Int) throws(FrameError) -> [OpenFile] {
    guard count <= descriptors.all.count else {
      throw FrameError(description: "a frame with \(count) open files, of which \(descriptors.all.count) came")
    }
    var files: [OpenFile] = []
    for _ in 0..<count {
      do {
        files.append(try OpenFile(receiving: descriptors.takeFirst()))
      } catch {
        throw FrameError(description: "an open file that \(error.message)")
      }
    }
    return files
  }

  /// Returns the numbers of the next header.
  private func header() -> (length: Int, blocks: Int, files: Int, request: UInt64) {
    bytes.withUnsafeBytes { bytes in
      (
        Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))),
        Int(bytes[start + 6]), Int(bytes[start + 7]),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
      )
    }
  }
}
