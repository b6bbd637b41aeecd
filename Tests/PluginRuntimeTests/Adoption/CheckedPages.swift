import CPluginEdge
import Foundation
import Glibc
import Testing

@Suite("The memory of checked calls")
struct CheckedPages {
  /// The addresses that this process uses.
  private static func size() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[0])) * Int(getpagesize())
  }

  @Test("is unmapped where the system does not let it be written")
  func refused() async {
    await #expect(processExitsWith: .success) {
      plugin_check_begin(-1)
      let data = __rlimit_resource_t(RLIMIT_DATA.rawValue)
      var limit = rlimit()
      #expect(getrlimit(data, &limit) == 0)
      let before = try Self.size()
      var small = rlimit(rlim_cur: 1 << 30, rlim_max: limit.rlim_max)
      #expect(setrlimit(data, &small) == 0)
      let memory = plugin_check_map(8 << 30, false, "memory")
      #expect(setrlimit(data, &limit) == 0)
      #expect(memory.data == nil)
      #expect(try Self.size() < before + 4 << 30)
    }
  }

  @Test("the limit is one of processor time, and a longer one of elapsed time")
  func limits() async {
    await #expect(processExitsWith: .success) {
      plugin_check_limit(1)
      usleep(1_500_000)
    }
    await #expect(processExitsWith: .signal(SIGALRM)) {
      plugin_check_limit(1)
      while true { pause() }
    }
    await #expect(processExitsWith: .failure) {
      plugin_check_limit(1)
      signal(SIGALRM, SIG_IGN)
      while getpid() != 0 {}
    }
  }
}
