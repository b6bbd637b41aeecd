import ArgumentParser
import Glibc
import PluginRuntime

/// The process in which `adopt --check` calls one function of a draft. It ends with a report on standard output.
struct CheckFunctionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-function", abstract: "Call a function of a draft with random arguments.", shouldDisplay: false)

  @ArgumentParser.Argument var file: String
  @ArgumentParser.Argument var function: String
  @Option var calls = 24
  @Option var seed: UInt64 = 1
  /// Parameters that take memory of the caller, as "FUNCTION.PARAMETER".
  @Option(parsing: .singleValue) var memory: [String] = []

  /// The descriptor of the report: a number that random arguments are unlikely to hit, or the highest that the process
  /// may open.
  private static var report: Int32 {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
      ? Int32(clamping: min(777, limit.rlim_cur &- 1)) : 777
  }

  func run() throws {
    let adoption = try AdoptionFile.read(file, trust: FileTrust(acceptsUnsafeFiles: true))
    let report = Self.report
    guard dup2(StandardStreams.results, report) == report, Self.openNothing(below: report) else {
      throw Failure(
        .rejected, "descriptor \(report), for the report of the check, cannot be opened: \(SystemError.last)")
    }
    CallChecker.run(function, of: adoption, report: report, calls: calls, seed: seed, memory: memory)
  }

  /// Closes the descriptors below the report's, except 0 to 2, which become /dev/null.
  private static func openNothing(below report: Int32) -> Bool {
    let null = open("/dev/null", O_RDWR)
    guard null >= 0 else { return false }
    for descriptor: Int32 in 0...2 where dup2(null, descriptor) < 0 { return false }
    for descriptor: Int32 in 3..<report { close(descriptor) }
    return true
  }
}
