#if Logging
public import Logging
public import PromisesDiagnostics

extension PromiseDiagnostics {
  /// Starts diagnostics that write each report of misuse to a logger, and replaces those that were started before.
  ///
  /// The metadata has the number of the promise as `promise.id`, and as far as they are known `promise.name` and
  /// `promise.place`.
  ///
  /// - Parameters:
  ///   - logger: called on the thread of the misuse, with no lock held. In a large program, reading the place takes a
  ///     second before that.
  ///   - level: the level of the messages.
  ///   - frames: the number of calls to remember for each promise. 0 records no places.
  /// - Thread: any.
  public static func start(logger: Logger, level: Logger.Level = .warning, frames: Int = 32) {
    start(frames: frames) { report in
      let report = report.resolved
      var metadata: Logger.Metadata = ["promise.id": "0x\(String(report.id, radix: 16))"]
      if let name = report.origin?.name { metadata["promise.name"] = "\(name)" }
      if let place = report.origin?.place { metadata["promise.place"] = "\(place)" }
      logger.log(level: level, "\(report)", metadata: metadata)
    }
  }
}
#endif
