import CPluginEdge
import Foundation
import Glibc
import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Isolation: open files", .serialized)
struct PassedFiles {
  @Test("a confined worker without rights reads the file that it is given, and opens neither it nor another")
  func confined() async throws {
    let path = try Fixture.file("given", containing: "given".utf8)
    guard let plugin = try IsolatedPlugin.confined("files") else { return }
    let file = try OpenFile(taking: open(path, O_RDONLY | O_CLOEXEC))
    #expect(try await plugin.outcome("content", .file(file)).value == .bytes(Array("given".utf8)))
    // With the right to read alone, it cannot be opened for writing, and it cannot be written to.
    #expect(try await plugin.outcome("write_text", .file(file), .string("x")).value == .int(Int64(EBADF)))
    #expect(try await plugin.outcome("reopen", .file(file)).refusal != nil)
    #expect(try await plugin.outcome("open_file", .string(path)).refusal?.capability.rawValue == "read")
    let pipe = try #require(try await plugin.outcome("pipe_with", .string("made")).value?.file)
    #expect(pipe.text == "made")
    #expect(
      try await plugin.outcome("content", .file(try OpenFile.holding("memory"))).value == .bytes(Array("memory".utf8)))
    plugin.unload()
  }

  @Test("nothing of a file is left in the program after calls that are discarded, or whose worker dies")
  func leaks() async throws {
    let plugin = try IsolatedPlugin.loading("files") { $0.grace = .milliseconds(50) }
    var identities: [FileIdentity] = []
    for function in ["hold", "die", "content"] {
      let file = try OpenFile.holding("text")
      let identity = file.identity
      identities.append(identity)
      let call = plugin.call(function, [.value(.file(file))], timeout: nil)
      if function == "hold" {
        #expect(try await plugin.outcome("is_closed_by_exec", .file(file)).value == .bool(true))
        call.discard()
      }
      _ = try await call.outcomeInTime()
      try await waiting { FileCounts.count(of: identity) == 1 }
      withExtendedLifetime(file) {}
    }
    try await waiting { identities.allSatisfy { FileCounts.count(of: $0) == 0 } }
    plugin.unload()
  }

  @Test("a call with more open files than a frame may have is rejected, and so is a result")
  func tooMany() throws {
    let files = try (0...Frame.maximumFiles).map { _ in PluginValue.file(try OpenFile.holding("")) }
    let error = #expect(throws: CBORError.self) { try Frame(.fulfilled, 1, .array(files)).encoded() }
    #expect(error?.message == "has more open files than a frame, which has at most 16")
    let encoded = try Frame(.fulfilled, 1, .array(Array(files.dropLast()))).encoded()
    #expect(encoded.files.count == Frame.maximumFiles && encoded.bytes[7] == 16)
    #expect(throws: CBORError.self) { try CBOREncoder.encode(files[0]) }
  }

  /// Reads frames of bytes with these descriptors. Returns their error.
  private func error(_ bytes: [UInt8], _ descriptors: [Int32]) -> String? {
    var reader = FrameReader()
    bytes.withUnsafeBytes { reader.append($0, descriptors[...]) }
    do throws(FrameError) {
      while let frame = try reader.next() { _ = frame }
    } catch {
      return error.description
    }
    return nil
  }

  @Test("a frame whose open files are missing, surplus, named twice or not passable is refused, and all are closed")
  func frames() throws {
    let sent = try OpenFile.holding("x")
    let frame = try Frame(.fulfilled, 1, .file(sent)).encoded().bytes
    let twice = try Frame(.fulfilled, 1, .array([.file(sent), .file(sent)])).encoded().bytes
    func changed(_ bytes: [UInt8], _ index: Int, to byte: UInt8) -> [UInt8] {
      var bytes = bytes
      bytes[index] = byte
      return bytes
    }
    let folder = open("/", O_RDONLY | O_CLOEXEC)
    let rows: [(bytes: [UInt8], count: Int, reason: String)] = [
      (frame, 0, "a frame with 1 open files, of which 0 came"), (frame, 2, "descriptors that no frame announces"),
      (changed(frame, 7, to: 0), 1, "that is not the next one of the frame's 0"),
      (changed(frame, 7, to: 2), 2, "1 open files that no value is"),
      (changed(frame, 7, to: 17), 1, "a frame with 17 open files, expected at most 16"),
      (changed(frame, frame.count - 1, to: 1), 1, "that is not the next one of the frame's 1"),
      (changed(twice, 7, to: 1), 1, "that is not the next one of the frame's 1"),
      (changed(frame, 6, to: 1), 2, "not sealed"),
    ]
    for row in rows {
      let copies = (0..<row.count).map { _ in plugin_open_file_duplicate(sent.descriptor) }
      let found = error(row.bytes, copies)
      #expect(found?.contains(row.reason) == true, "\(found ?? "no error"): \(row.reason)")
      #expect(FileCounts.count(of: sent.identity) == 1, "\(row.reason)")
    }
    #expect(
      error(frame, [folder])?.contains("an open file that is the descriptor \(folder), which is a folder") == true)
    #expect(fcntl(folder, F_GETFD) < 0)
    #expect(error(frame, [plugin_open_file_duplicate(sent.descriptor)]) == nil)
    #expect(FileCounts.count(of: sent.identity) == 1)
  }

  @Test("a worker's result that is a file where none is declared is refused, and closed")
  func undeclared() throws {
    let file = PluginValue.file(try OpenFile.holding(""))
    #expect(throws: ArgumentMismatch.self) { try Signature(parsing: "f() -> i32").check(result: file) }
    #expect(throws: ArgumentMismatch.self) { try Signature(parsing: "f() -> fd").check(result: .int(3)) }
    #expect(throws: ArgumentMismatch.self) { try Signature(parsing: "f() -> fd").check(result: .void) }
    try Signature(parsing: "f() -> fd").check(result: file)
    try Signature(parsing: "f(a: out fd)").check(result: .object([PluginMember("a", file)]))
  }

  @Test("files that wait for a socket are sent with their frames")
  func waitingFrames() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    defer { ends.forEach { close($0) } }
    var outgoing = OutgoingFrames()
    var sent: FileIdentity?
    do {
      let file = try OpenFile.holding("late")
      sent = file.identity
      let filling = try Frame(.fulfilled, 1, .bytes([UInt8](repeating: 0, count: 60_000))).encoded()
      while !outgoing.send(filling, ends[0]) {}
      #expect(outgoing.send(try Frame(.fulfilled, 2, .file(file)).encoded(), ends[0]))
    }
    #expect(sent.map { FileCounts.count(of: $0) } == 1)
    var (reader, incoming) = (FrameReader(), IncomingBytes(receiver: "the test"))
    var text: String?
    while text == nil {
      _ = outgoing.flush(ends[0])
      _ = try incoming.receive(ends[1], &reader)
      while let frame = try reader.next() { text = frame.body.file?.text }
    }
    #expect(text == "late")
    #expect(sent.map { FileCounts.count(of: $0) } == 0)
  }
}
