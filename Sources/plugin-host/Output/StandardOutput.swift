import Glibc

/// The one result of a command, on standard output.
enum StandardOutput {
  static func write(_ text: String) throws(Failure) {
    do {
      try FileBytes.write(text.utf8, to: StandardStreams.results)
    } catch {
      throw Failure(.rejected, "standard output: \(error)")
    }
  }
}
