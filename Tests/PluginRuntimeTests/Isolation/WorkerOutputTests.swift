import Glibc
import Testing

@testable import PluginRuntime

@Suite("Isolation: the output of a worker")
struct WorkerOutputTests {
  /// The ends of a channel that no process of another test inherits.
  private func channel() throws -> [Int32] {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return ends
  }

  /// Passes a text through a channel. Returns the output and the lines that were received.
  private func output(of text: String) throws -> (output: WorkerOutput, received: [String]) {
    let ends = try channel()
    let bytes = Array(text.utf8)
    #expect(write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    var output = WorkerOutput(longest: 1_000)
    var received: [String] = []
    while output.read(ends[0], { received.append($0) }) {}
    output.finish { received.append($0) }
    close(ends[0])
    return (output, received)
  }

  @Test(
    "the output of a worker is received line by line, and the last ten lines are kept",
    arguments: [0, 1, 9, 10, 11, 25])
  func lines(count: Int) throws {
    let all = (0..<count).map { "line \($0)" }
    let (output, received) = try output(of: all.map { $0 + "\n" }.joined())
    #expect(received == all)
    #expect(output.lines == Array(all.suffix(10)))
  }

  @Test("the output of a worker is received in turns with frames, however much a worker writes")
  func turns() throws {
    let ends = try channel()
    defer { ends.forEach { close($0) } }
    let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: 20_000)
    #expect(write(ends[1], lines, lines.count) == lines.count)
    var output = WorkerOutput(longest: 1_000)
    var count = 0
    #expect(output.read(ends[0]) { _ in count += 1 })
    #expect((1...4_096).contains(count))
    #expect(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    #expect(!output.read(ends[0], chunks: 64) { _ in count += 1 } || count == lines.count)
    #expect(count == lines.count)
  }

  @Test("the output of a worker may end without the end of a line, and have empty lines")
  func ends() throws {
    #expect(try output(of: "a\n\nb").received == ["a", "", "b"])
    #expect(try output(of: "a\n").received == ["a"])
  }

  @Test("the output of a worker is cut where a line is too long", arguments: [999, 1_000, 1_001, 20_000])
  func long(count: Int) throws {
    let (_, received) = try output(of: String(repeating: "x", count: count) + "\nnext\n")
    #expect(received == [String(repeating: "x", count: min(count, 1_000)), "next"])
  }
}
