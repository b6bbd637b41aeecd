import Foundation
import Testing

@testable import plugin_host

@MainActor
@Suite struct TerminalProgressTests {
  /// Returns the drawings of a row: by a refresh, and at the end.
  private func drawings(isTransient: Bool, delay: Duration) throws -> [String] {
    let device = PseudoTerminal()
    let terminal = try #require(Terminal(descriptor: device.handle.fileDescriptor))
    var written: [String] = []
    let progress = TerminalProgress(terminal: terminal, isTransient: isTransient, delay: delay) { written.append($0) }
    let rows = [StepRow(name: "sum", call: "digest.sha256")]
    progress.refresh(rows)
    progress.finish(rows)
    _ = device.contents()
    return written
  }

  @Test func nothingIsDrawnBeforeTheDelayIsOver() throws {
    #expect(try drawings(isTransient: true, delay: .seconds(1_000_000)) == [])
  }

  @Test func transientLinesAreErased() throws {
    let drawings = try drawings(isTransient: true, delay: .zero)
    #expect(drawings.count == 2)
    #expect(drawings.first?.contains("digest.sha256") == true)
    #expect(drawings.last == "\u{1B}[1A\r\u{1B}[J")
  }

  @Test func theLastDrawingStays() throws {
    let drawings = try drawings(isTransient: false, delay: .zero)
    #expect(drawings.count == 2)
    #expect(drawings.allSatisfy { $0.contains("digest.sha256") })
    #expect(drawings.last?.hasPrefix("\u{1B}[1A\r") == true)
  }
}
