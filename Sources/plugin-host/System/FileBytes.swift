import Glibc

/// Whole files, read and written without the buffers of stdio, which plugins may be using.
enum FileBytes {
  /// Reads all of a file, a pipe or a device, until its end.
  static func read(path: String) throws(SystemError) -> [UInt8] {
    let descriptor = open(RawText.cString(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    return try read(descriptor: descriptor)
  }

  /// Reads `descriptor` until its end.
  static func read(descriptor: Int32) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var information = stat()
    if fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG {
      bytes.reserveCapacity(Int(information.st_size) + 1)
    }
    while true {
      let start = bytes.count
      let room = max(bytes.capacity - start, 1 << 16)
      var failure: SystemError?
      var received = 0
      bytes.append(
        contentsOf: [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
          repeat { received = Glibc.read(descriptor, buffer.baseAddress, room) } while received < 0 && errno == EINTR
          if received < 0 { failure = .last }
          count = max(received, 0)
        })
      if let failure { throw failure }
      if received == 0 { return bytes }
    }
  }

  /// Writes all of `bytes` to `descriptor`.
  static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) throws(SystemError) {
    var failure: SystemError?
    let done: Void? = bytes.withContiguousStorageIfAvailable { failure = write($0, to: descriptor) }
    if done == nil { Array(bytes).withUnsafeBufferPointer { failure = write($0, to: descriptor) } }
    if let failure { throw failure }
  }

  private static func write(_ buffer: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> SystemError? {
    var rest = UnsafeRawBufferPointer(buffer)[...]
    while !rest.isEmpty {
      let chunk = UnsafeRawBufferPointer(rebasing: rest)
      let written = Glibc.write(descriptor, chunk.baseAddress, chunk.count)
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno == EAGAIN {
        // A terminal or pipe that another program has set non-blocking: wait until it takes more.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        return .last
      }
    }
    return nil
  }
}
