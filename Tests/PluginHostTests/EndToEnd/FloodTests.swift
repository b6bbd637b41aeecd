import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Plugins that log and report faster than the host writes.
  @Suite struct FloodTests: ~Copyable {
    private static let count = 100_000
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the lines of a call whose standard error is read only after the plugin has written everything.
    private func lines(_ function: String, _ options: [String]) throws -> [Substring] {
      let marker = folder.path("marker")
      let host = try HostProcess(
        ["call"] + options + ["--progress", "plain", "flooding", function, "\(Self.count)", marker])
      let pipe = Pipe()
      host.process.standardError = pipe
      try host.process.run()
      try pipe.fileHandleForWriting.close()
      let deadline = Date(timeIntervalSinceNow: 120)
      while access(marker, F_OK) != 0, host.process.isRunning, Date() < deadline { usleep(2_000) }
      let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      #expect(try host.wait().status == 0, "\(text.suffix(1_000))")
      return text.split(separator: "\n")
    }

    private var places: [[String]] {
      [["--isolation", "in-process"], ["--isolation", "process", "--allow", "write=\(folder.url.path)"]]
    }

    @Test("of lines of the log that come faster than they are written 1,000 wait; the number of the others is written")
    func log() throws {
      for place in places {
        let lines = try lines("say", place)
        var (written, left) = (0, 0)
        for line in lines {
          guard let message = line.split(separator: ": error: ").last else { continue }
          if message.hasPrefix("line ") { written += 1 }
          if message.hasSuffix(" lines are left out, which came faster than they were written") {
            left += Int(message.prefix { $0 != " " }) ?? 0
          }
        }
        #expect(written + left == Self.count, "\(place): \(lines.suffix(3))")
        // A pipe takes 64 KiB.
        #expect(written < 20_000, "\(place)")
        try FileManager.default.removeItem(atPath: folder.path("marker"))
      }
    }

    @Test("of reports that come faster than they are shown, 1,000 and the last one are")
    func progress() throws {
      for place in places {
        let lines = try lines("report", place)
        #expect(lines.last?.hasSuffix("report \(Self.count)") == true, "\(place): \(lines.suffix(3))")
        #expect(lines.count < 20_000, "\(place)")
        try FileManager.default.removeItem(atPath: folder.path("marker"))
      }
    }
  }
}
