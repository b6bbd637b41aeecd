import CPluginEdge
import Glibc
import Synchronization

/// Whole files, read and written without the buffers of stdio, which plugins may be using.
enum FileBytes {
  /// The maximum number of bytes read from a file, a pipe or a device: some are endless.
  static let longest = 1 << 30
  /// The maximum number of bytes of a file with rules, descriptions or lines, which is read as text.
  static let longestText = 1 << 26

  /// Lets reads and writes that wait end with EINTR once `isRequested` returns true. Call once, in a session.
  static func allowInterruption(_ isRequested: @escaping @Sendable () -> Bool) {
    interruption.withLock { $0 = isRequested }
  }
  private static let interruption = Mutex<(@Sendable () -> Bool)?>(nil)

  /// Runs `body`. Reads and writes that wait meanwhile end with EINTR also once `isRequested` returns true.
  static func interrupting<T>(
    when isRequested: @escaping @Sendable () -> Bool, _ body: () throws(Failure) -> T
  ) throws(Failure) -> T {
    let outer = interruption.withLock { current in
      let outer = current
      current = { outer?() == true || isRequested() }
      return outer
    }
    defer { interruption.withLock { $0 = outer } }
    return try body()
  }

  /// Reads all of a file, a pipe or a device, until its end.
  ///
  /// - Throws: `SystemError`; EFBIG if there are more bytes than `limit`, ETIMEDOUT if the end was not reached by the
  ///   deadline, EINTR if it was interrupted; that of a link out of a folder that plugins may write to.
  static func read(
    path: String, limit: Int = longest, by deadline: ContinuousClock.Instant? = nil
  ) throws(SystemError) -> [UInt8] {
    let deadline = deadline ?? deadlineOfInterruption
    let descriptor = try openToRead(path: path, blocks: deadline == nil)
    defer { close(descriptor) }
    return try read(descriptor: descriptor, limit: limit, by: deadline)
  }

  /// Opens a file, a pipe or a device for a plugin to read. Of a FIFO it waits for a writer.
  ///
  /// - Throws: `SystemError`; ETIMEDOUT if no writer has opened the FIFO by the deadline; otherwise as `read`.
  static func openToPass(path: String, by deadline: ContinuousClock.Instant?) throws(SystemError) -> Int32 {
    let deadline = deadline ?? deadlineOfInterruption
    let descriptor = try openToRead(path: path, blocks: deadline == nil)
    guard let deadline else { return descriptor }
    var information = stat()
    let isPipe = fstat(descriptor, &information) == 0 && information.st_mode & S_IFMT == S_IFIFO
    do throws(SystemError) {
      // Without a writer, a read would find the end.
      if isPipe { try wait(for: descriptor, until: deadline) }
    } catch {
      close(descriptor)
      throw error
    }
    _ = fcntl(descriptor, F_SETFL, 0)
    return descriptor
  }

  /// The deadline of reads that have none, in a session whose reads can be interrupted.
  private static var deadlineOfInterruption: ContinuousClock.Instant? {
    interruption.withLock { $0 != nil } ? .now + .seconds(1_000_000) : nil
  }

  private static func openToRead(path: String, blocks: Bool) throws(SystemError) -> Int32 {
    // Opening a FIFO waits for a writer, unless O_NONBLOCK is set.
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (blocks ? 0 : O_NONBLOCK)
    let path = Directory.absolute(path)
    let place = try WritableFolders.place(of: path, followsLast: true)
    let descriptor = try place?.open(flags) ?? open(RawText.cString(path), flags)
    guard descriptor >= 0 else { throw .last }
    return descriptor
  }

  /// Reads all of a regular file. Never waits for another process, as a read of a FIFO does, and never reads a device.
  /// Use it for each file that is found by its name or place, rather than given as input by the user.
  ///
  /// - Throws: `SystemError`; `.notRegular` for another kind of file, EFBIG if there are more bytes than `limit`.
  static func readRegular(path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let descriptor = try openRegular(path: path)
    defer { close(descriptor) }
    return try read(descriptor: descriptor, limit: limit)
  }

  /// Opens a regular file to read. Never waits.
  ///
  /// - Throws: `SystemError`; `.notRegular` for another kind of file.
  static func openRegular(path: String) throws(SystemError) -> Int32 {
    let descriptor = open(RawText.cString(Directory.absolute(path)), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .last }
    var information = stat()
    let error: SystemError? =
      fstat(descriptor, &information) != 0 ? .last : information.st_mode & S_IFMT != S_IFREG ? .notRegular : nil
    guard let error else { return descriptor }
    close(descriptor)
    throw error
  }

  /// Reads `descriptor` until its end.
  ///
  /// - Throws: `SystemError`; EFBIG if there are more bytes than `limit`, ETIMEDOUT if the deadline passes before the
  ///   end.
  static func read(
    descriptor: Int32, limit: Int = longest, by deadline: ContinuousClock.Instant? = nil
  ) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var information = stat()
    if fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG {
      guard information.st_size <= limit else { throw SystemError(code: EFBIG) }
      bytes.reserveCapacity(Int(information.st_size) + 1)
    }
    while true {
      let start = bytes.count
      guard start <= limit else { throw SystemError(code: EFBIG) }
      if let deadline { try wait(for: descriptor, until: deadline) }
      let capacity = max(min(bytes.capacity, limit + 1) - start, 1 << 16)
      var failure: SystemError?
      var received = 0
      bytes.append(
        contentsOf: [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
          repeat {
            received = Glibc.read(descriptor, buffer.baseAddress, capacity)
          } while received < 0 && errno == EINTR
          if received < 0 { failure = .last }
          count = max(received, 0)
        })
      if let failure {
        if failure.code == EAGAIN, deadline != nil { continue }
        throw failure
      }
      if received == 0 { return bytes }
    }
  }

  /// Waits until there is something to read or the end, or, for POLLOUT, until some bytes can be written.
  private static func wait(
    for descriptor: Int32, _ events: Int32 = POLLIN, until deadline: ContinuousClock.Instant
  ) throws(SystemError) {
    let isInterrupted = interruption.withLock(\.self)
    var ready = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while ready.revents == 0 {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { throw SystemError(code: ETIMEDOUT) }
      guard isInterrupted?() != true else { throw SystemError(code: EINTR) }
      // Another thread may take the signal, which does not wake this one then.
      let longest: Duration = isInterrupted != nil ? .milliseconds(100) : .seconds(1_000_000)
      plugin_poll(&ready, 1, Int32((min(left, longest) / .milliseconds(1)).rounded(.up)))
    }
  }

  /// Opens a file, a FIFO or a device to write to: emptied, unless the flags have O_APPEND. Opening a FIFO waits for a
  /// reader.
  ///
  /// - Throws: `SystemError`; ETIMEDOUT if no reader has opened the FIFO by the deadline.
  static func openToWrite(
    path: String, flags: Int32 = 0, by deadline: ContinuousClock.Instant?
  ) throws(SystemError) -> Int32 {
    let start = flags & O_APPEND == 0 ? O_TRUNC : 0
    let limit = deadline ?? deadlineOfInterruption
    let isInterrupted = interruption.withLock(\.self)
    let flags = flags | start | O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC | (limit == nil ? 0 : O_NONBLOCK)
    while true {
      let descriptor = open(RawText.cString(path), flags, 0o666)
      if descriptor >= 0 {
        // The writes of a caller without a deadline wait.
        if deadline == nil, limit != nil { _ = fcntl(descriptor, F_SETFL, flags & O_APPEND) }
        return descriptor
      }
      // A FIFO without a reader.
      guard let limit, errno == ENXIO else { throw .last }
      guard limit > .now else { throw SystemError(code: ETIMEDOUT) }
      guard isInterrupted?() != true else { throw SystemError(code: EINTR) }
      usleep(10_000)
    }
  }

  /// Writes all of `bytes` to `descriptor`, without a time limit if `deadline` is nil.
  ///
  /// - Throws: `SystemError`; ETIMEDOUT if a pipe has not taken them by the deadline, EINTR if it was interrupted.
  static func write(
    _ bytes: some Collection<UInt8>, to descriptor: Int32, by deadline: ContinuousClock.Instant?
  ) throws(SystemError) {
    guard let deadline = deadline ?? deadlineOfInterruption else { return try write(bytes, to: descriptor) }
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      try wait(for: descriptor, POLLOUT, until: deadline)
      // A pipe that is ready takes so many bytes without waiting.
      let chunk = rest.prefix(Int(PIPE_BUF))
      try write(chunk, to: descriptor)
      rest = rest.dropFirst(chunk.count)
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
        // Another program has made the terminal or pipe non-blocking: wait until it accepts more.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if errno != EINTR {
        return .last
      }
    }
    return nil
  }
}
