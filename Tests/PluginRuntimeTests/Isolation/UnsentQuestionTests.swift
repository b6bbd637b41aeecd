import Glibc
import Promises
import Testing

@testable import PluginRuntime

@Suite("Isolation: questions of a worker that cannot be sent")
struct UnsentQuestionTests {
  @Test("questions of a worker that cannot be sent are rejected, and nothing is kept for their answers")
  func unsent() throws {
    var sockets: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &sockets) == 0)
    defer { close(sockets[0]) }
    let channel = WorkerChannel(moving: sockets[1])
    let threads = CallThreads(limit: 1)
    let questions = WorkerQuestions(channel, FrameServer(channel, threads, limit: 1))
    var deep = PluginValue.void
    for _ in 0..<PluginValue.maximumDepth + 10 { deep = .array([deep]) }
    weak var gone: Promise<PluginValue>?
    do {
      let promise = questions.call("f", of: "test.other", [deep], handles: HandleTable(worker: 1))
      let error = promise.rejectReason as? PluginError
      #expect(error?.kind == .notIsolated, "\(String(describing: error))")
      gone = promise
    }
    #expect(gone == nil)
  }
}
