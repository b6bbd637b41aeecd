import ArgumentParser
import PluginRuntime

/// The options of the commands that write a result.
struct OutputOptions: ParsableArguments {
  @Option(
    name: .customLong("format"),
    help: "The form of the result: one line of JSON, text and bytes as they are, or a table for people.")
  var chosen: ResultFormat?

  @Flag(help: "The same as --format raw. Binary data is not written to a terminal.")
  var raw = false

  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      """
      Write the result to a file; - is standard output, even if it is a terminal. The words json, raw and table are the \
      formats of --format; a file of such a name is ./json. May be given twice, for both.
      """, valueName: "file|format"))
  var output: [String] = []

  private var formats: [ResultFormat] {
    [chosen].compactMap(\.self) + (raw ? [.raw] : []) + output.compactMap(ResultFormat.init)
  }
  private var paths: [String] { output.filter { ResultFormat(rawValue: $0) == nil } }

  func validate() throws {
    guard Set(formats).count < 2 else {
      throw ValidationError("expected one format, not \(formats.map(\.rawValue).joined(separator: " and "))")
    }
    guard paths.count < 2 else {
      throw ValidationError("expected one file for the result, not \(paths.joined(separator: " and "))")
    }
  }

  /// Whether the command line asks for JSON. Failures are then JSON, too.
  var wantsJSON: Bool { formats.contains(.json) }

  var writer: ResultWriter { writer(within: nil) }

  /// A writer for results that another process has to take within `limit`.
  func writer(within limit: Seconds?) -> ResultWriter {
    ResultWriter(format: formats.first ?? .json, path: paths.first, limit: limit?.duration)
  }
}

/// A command that writes JSON on request, its failures included.
protocol WritesJSON {
  var json: Bool { get }
}

/// A command that writes a result.
protocol WritesResults: WritesJSON {
  var output: OutputOptions { get }
}

extension WritesResults {
  var json: Bool { output.wantsJSON }
}

extension ResultFormat: ExpressibleByArgument {}
