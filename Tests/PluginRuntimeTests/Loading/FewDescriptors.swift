import CPluginEdge
import Glibc
import PromisesTestSupport
import Testing

@testable import PluginRuntime

/// A failure in the middle of a function that opens several descriptors.
@Suite("Loading: a limit of descriptors or processes that is reached on the way")
struct FewDescriptors {
  private static let searched: CInt = 512

  /// The number of open descriptors, found without one.
  fileprivate static var count: Int { (0..<searched).count { fcntl($0, F_GETFD) >= 0 } }

  /// Sets the limit to a number of descriptors beyond those that are open below it.
  fileprivate static func limit(to free: Int) {
    var (limit, left) = (CInt(0), free)
    while left > 0 || fcntl(limit, F_GETFD) >= 0 {
      if fcntl(limit, F_GETFD) < 0 { left -= 1 }
      limit += 1
    }
    var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(searched))
    #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0)
  }

  /// Makes an attempt that must fail while so many descriptors are free. Whether it leaves none.
  ///
  /// Threads of the system's libraries open descriptors of their own at any time, so one attempt proves nothing. A leak
  /// is there after each. `attempt` returns true if it did not fail.
  fileprivate static func leavesNone(with free: Int, _ attempt: () -> Bool) -> Bool {
    (0..<50).contains { _ in
      limit(to: free)
      let before = count
      return attempt() || count <= before
    }
  }

  @Test("a child process that cannot be started leaves no descriptor, and the error is that of the system")
  func children() async {
    await #expect(processExitsWith: .success) {
      let place = try #require(plugin_child_place())
      var child = plugin_child_t()
      var isStarted = false
      var free = -1
      while !isStarted {
        free += 1
        let leavesNone = FewDescriptors.leavesNone(with: free) {
          let result = plugin_child_fork(&child, place)
          let error = errno
          if result == 0 { _exit(0) }
          isStarted = result == 1
          #expect(isStarted || result == -1 && error == EMFILE, "\(free)")
          return isStarted
        }
        #expect(leavesNone, "\(free)")
      }
      // Two pipes.
      #expect(free >= 4)
      _ = plugin_child_end(&child)
      let ended = FewDescriptors.leavesNone(with: 10) {
        let result = plugin_child_fork(&child, place)
        if result == 0 { _exit(0) }
        #expect(result == 1)
        _ = plugin_child_end(&child)
        return false
      }
      #expect(ended)
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      #expect(setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &none) == 0)
      // The limit does not hold for root.
      if getuid() == 0 { #expect(setuid(65_534) == 0) }
      let refused = FewDescriptors.leavesNone(with: 10) {
        let result = plugin_child_fork(&child, place)
        let error = errno
        if result == 0 { _exit(0) }
        #expect(result == -1 && error == EAGAIN)
        return false
      }
      #expect(refused)
    }
  }

  @Test("more descriptors than the limit allows are polled, too")
  func polling() async {
    await #expect(processExitsWith: .success) {
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      var limit = rlimit(rlim_cur: 1, rlim_max: 1)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      var entries = ends.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      #expect(poll(&entries, 2, 0) == -1 && errno == EINVAL)
      for time in [0, 1, 25] as [Int32] { #expect(plugin_poll(&entries, 2, time) == 0, "\(time)") }
      #expect(write(ends[1], "x", 1) == 1)
      #expect(plugin_poll(&entries, 2, -1) == 1)
      #expect(entries[0].revents == Int16(POLLIN) && entries[1].revents == 0)
    }
  }

  @Test("a file that cannot be kept for workers is an error that names the limit")
  func keptFile() async {
    await #expect(processExitsWith: .success) {
      let source = try PluginSource(at: try Fixture.plugin("whole"))
      var isKept = false
      var free = -1
      while !isKept {
        free += 1
        let leavesNone = FewDescriptors.leavesNone(with: free) {
          do throws(PluginError) {
            isKept = try KeptFile(of: source).map { $0.descriptor >= 0 } == true
            #expect(isKept)
          } catch {
            #expect(error.kind == .notReadable && error.description.contains("RLIMIT_NOFILE is "), "\(free): \(error)")
          }
          return isKept
        }
        #expect(leavesNone, "\(free)")
      }
      // The file, its copy, and the descriptor that is kept.
      #expect(free >= 2)
    }
  }

  @Test("bytes that could not be shared do not count among those that wait to be sent")
  func sharedBytes() async {
    await #expect(processExitsWith: .success) {
      let bytes = [UInt8](repeating: 1, count: SharedBytes.threshold)
      var limit = rlimit(rlim_cur: 1, rlim_max: .max)
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      for _ in 0..<1_000 { #expect(SharedBytes(sending: bytes) == nil) }
      limit.rlim_cur = .max
      #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      #expect(SharedBytes(sending: bytes) != nil)
    }
  }

  @Test("a message with descriptors for which there are no numbers is refused for the limit, not as the sender's fault")
  func receiving() async {
    await #expect(processExitsWith: .success) {
      var ends: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      let block = try #require(SharedBytes(copying: [1]))
      var outgoing = OutgoingFrames()
      let isLeft = outgoing.send(try Frame(.log, 1, .bytes([3]), memory: [block]).encoded(), ends[0])
      #expect(!isLeft)
      FewDescriptors.limit(to: 0)
      var (reader, incoming) = (FrameReader(), IncomingBytes(receiver: "the test"))
      let error = #expect(throws: FrameError.self) { try incoming.receive(ends[1], &reader) }
      #expect(error?.isOverLimit == true)
      #expect(error?.description.contains("for which the test has no descriptor: RLIMIT_NOFILE is ") == true)
    }
  }
}
