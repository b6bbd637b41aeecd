import CPluginEdge
import CPromise
import Glibc
import Synchronization

/// Bytes in memory that several processes share and none can change: a sealed memfd.
///
/// As an argument they reach a worker process without a copy, and any number of workers:
///
///     let image = SharedBytes(copying: pixels)
///     plugin.call("encode", [Argument(.shared(image))], timeout: nil)
///
/// The memory is freed with the last reference, in this process and in others.
public final class SharedBytes: Sendable {
  /// The length from which bytes cross to another process in shared memory.
  static let threshold = 1 << 16
  /// The maximum number of bytes of shared memory in one frame.
  static let longest = 1 << 30

  /// The descriptor, for sending; -1 for memory received from another process.
  let descriptor: Int32
  // Mapped once; the memory never changes. `nowhere` if this process does not map it.
  private nonisolated(unsafe) let start: UnsafeMutableRawPointer
  /// The number of bytes.
  public let count: Int
  private let isCounted: Bool
  /// The array that was copied, if it has to stay as long as the copy; or the array that the memory was read to.
  private let source: [UInt8]?

  /// The number of blocks that wait to be sent, each of which has a descriptor. Beyond a part of RLIMIT_NOFILE, bytes
  /// are sent through the socket.
  private static let open = Atomic<Int>(0)
  private static let maximumOpen: Int = {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 64 }
    return Int(min(limit.rlim_cur / 4, 256))
  }()

  /// Copies bytes to new shared memory.
  ///
  /// Returns `nil` if `bytes` is empty or longer than 1 GiB, if memory or descriptors have run out, or if
  /// `RLIMIT_FSIZE` is too small.
  public init?(copying bytes: [UInt8]) {
    guard !bytes.isEmpty, bytes.count <= Self.longest else { return nil }
    let descriptor = bytes.withUnsafeBytes { buffer in
      buffer.baseAddress.map { plugin_sealed_new($0, buffer.count) } ?? -1
    }
    guard descriptor >= 0 else { return nil }
    let mapped = plugin_sealed_map(descriptor, Self.longest)
    guard let start = mapped.bytes else {
      close(descriptor)
      return nil
    }
    (self.descriptor, self.start, count, isCounted, source) = (descriptor, start, mapped.length, false, nil)
  }

  /// Copies bytes that are about to be sent; `nil` if they are short, or too much memory waits to be sent.
  init?(sending bytes: [UInt8], keeping kept: [UInt8]? = nil) {
    guard bytes.count >= Self.threshold, bytes.count <= Self.longest else { return nil }
    guard Self.open.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximumOpen else {
      Self.open.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
    let descriptor = bytes.withUnsafeBytes { buffer in
      buffer.baseAddress.map { plugin_sealed_new($0, buffer.count) } ?? -1
    }
    guard descriptor >= 0 else {
      Self.open.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
    // This process does not map the memory, and never reads it.
    (self.descriptor, start, count, isCounted, source) = (descriptor, Self.nowhere, bytes.count, true, kept)
  }

  /// Receives memory that another process sent, up to a limit in bytes, and closes the descriptor on every path.
  ///
  /// - Parameter maps: whether to map it, for C code that reads it in place. Otherwise it is read to an array, which
  ///   takes less time than copying a mapping: no page of the memory has to be mapped.
  init(receiving descriptor: Int32, atMost longest: Int, mapping maps: Bool) throws(FrameError) {
    let memory = maps ? plugin_sealed_map(descriptor, longest) : plugin_sealed_check(descriptor, longest)
    let read = memory.mistake == nil && !maps ? Self.read(descriptor, memory.length) : nil
    guard memory.mistake == nil, maps || read?.count == memory.length else {
      plugin_sealed_close(descriptor)
      throw FrameError(
        description: memory.mistake.map { String(cString: $0) } ?? "shared memory that cannot be read",
        isOverLimit: memory.length > longest)
    }
    // Sealed memory: unlike a socket, it is closed without a wait.
    close(descriptor)
    (self.descriptor, start, count, isCounted, source) = (
      -1, memory.bytes ?? Self.nowhere, memory.length, false, read
    )
  }

  /// Reads sealed memory; an empty array if that fails.
  private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard let start = buffer.baseAddress, plugin_sealed_read(descriptor, start, count) else { return }
      initialized = count
    }
  }

  private static nonisolated(unsafe) let nowhere = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

  deinit {
    if isMapped { plugin_sealed_unmap(start, count) }
    if descriptor >= 0 { close(descriptor) }
    if isCounted { Self.open.wrappingSubtract(1, ordering: .relaxed) }
  }

  private var isMapped: Bool { start != Self.nowhere }

  /// Calls a closure with the bytes, which it must not keep.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    precondition(isMapped, "memory that is sent, or was read, is not mapped")
    return try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(start: start, count: count)) }
  }

  /// A copy of the bytes.
  public var bytes: [UInt8] {
    if !isCounted, let source { return source }
    return withUnsafeBytes { [UInt8]($0) }
  }

  /// The memory as a value of C, without a copy. The caller owns the reference. `nil` if memory has run out.
  var abi: promise_value_t? {
    var value = promise_value_t()
    let status = promise_value_bytes_foreign(
      &value, start, count, Unmanaged.passRetained(self).toOpaque(),
      { Unmanaged<SharedBytes>.fromOpaque($0!).release() })
    return status == PROMISE_OK ? value : nil
  }
}
