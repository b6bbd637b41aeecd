import Glibc
import Promises

/// The trace of `--trace`: started before the call, and written to its file when the call has ended.
struct TraceFile {
  private let path: String
  private let descriptor: Int32

  /// Creates or empties the file, and starts the trace.
  init(_ path: String) throws(Failure) {
    self.path = path
    do throws(SystemError) {
      descriptor = try Self.open(path)
    } catch {
      throw Failure(.usage, "--trace \(path): \(error)")
    }
    PromiseTrace.start()
  }

  private static func open(_ path: String) throws(SystemError) -> Int32 {
    let own = StandardStreams.descriptor(namedBy: path)
    let path = Directory.absolute(path)
    if own == nil, let place = try WritableFolders.place(of: path) { return try place.openNew() }
    let descriptor =
      own.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
      ?? Glibc.open(RawText.cString(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .last }
    return descriptor
  }

  /// Stops the trace and writes it: as a graph to a file with the ending `.dot`, otherwise for Perfetto.
  func write() throws(Failure) {
    PromiseTrace.stop()
    defer { close(descriptor) }
    do {
      try PromiseTrace.write(to: descriptor, as: path.hasSuffix(".dot") ? .graphviz : .perfetto)
    } catch {
      throw Failure(.rejected, "--trace \(path): the trace could not be written: \(SystemError(code: error.code))")
    }
  }
}
