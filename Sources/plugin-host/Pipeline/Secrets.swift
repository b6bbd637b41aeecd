/// The values of a pipeline's secrets, hidden in all output.
enum Secrets {
  /// Reads the values, of files by the deadline.
  static func values(
    of pipeline: Pipeline, by deadline: ContinuousClock.Instant? = nil
  ) throws(Failure) -> [String: String] {
    var values: [String: String] = [:]
    for secret in pipeline.secrets {
      let value = try value(of: secret, by: deadline)
      guard value.count >= Redaction.leastLength else {
        let length = "\(value.count) character\(value.count == 1 ? "" : "s")"
        throw Failure(
          .usage,
          "the secret \"\(secret.name.value)\" has \(length): one of fewer than \(Redaction.leastLength) cannot be "
            + "distinguished from other text")
      }
      Redaction.add(secret: value)
      values[secret.name.value] = value
    }
    return values
  }

  private static func value(
    of secret: Pipeline.Secret, by deadline: ContinuousClock.Instant?
  ) throws(Failure) -> String {
    let name = secret.name.value
    switch secret.source {
    case .environment(let variable):
      guard let value = Environment[variable.value] else {
        throw Failure(
          .usage, "the secret \"\(name)\" has no value: the environment variable \(variable.value) is not set or empty")
      }
      guard RawText.isText(value) else {
        throw Failure(.usage, "the secret \"\(name)\": the environment variable \(variable.value) is not UTF-8 text")
      }
      return RawText.string(value)
    case .file(let file):
      let path = file.value
      do {
        var bytes = try FileBytes.read(path: path, by: deadline)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
          throw Failure(.usage, "the secret \"\(name)\": \(path) is empty, or not UTF-8 text")
        }
        return text
      } catch let failure as Failure {
        throw failure
      } catch {
        throw Failure(
          error as? SystemError, else: .usage, "the secret \"\(name)\": \(path): \(error)".displayLine)
      }
    }
  }
}
