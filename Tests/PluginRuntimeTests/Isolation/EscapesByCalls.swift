import Foundation
import Glibc
import PluginRuntime
import PromisesTestSupport
import Testing

@Suite("Isolation: priorities, hiding and signals of a worker", .serialized)
struct EscapesByCalls {
  @Test("a worker gets no higher priority, also if the limits of the host allow it")
  func priority() async {
    await #expect(processExitsWith: .success) {
      for resource in [__RLIMIT_RTPRIO, __RLIMIT_NICE] {
        var limit = rlimit(rlim_cur: 40, rlim_max: 40)
        // Only root can raise them.
        _ = setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
      }
      guard let plugin = try IsolatedPlugin.confined("escaping") else { return }
      #expect(try await plugin.outcome("run_in_real_time").value == .int(Int64(EPERM)))
      #expect(try await plugin.outcome("raise_priority").value == .int(Int64(EACCES)))
      plugin.unload()
    }
  }

  @Test("a worker does not hide the paths of its refusals from a host of the same user")
  func hiding() async throws {
    guard let plugin = try IsolatedPlugin.confined("escaping") else { return }
    let outcome = try await plugin.outcome("hide", .int(0))
    #expect(outcome.refusal?.description == "system (prctl)", "\(outcome)")
    #expect(try await plugin.outcome("hide", .int(1)).value == .int(0))
  }

  @Test("a worker does not undo that it ends with its host")
  func surviving() async throws {
    guard let plugin = try IsolatedPlugin.confined("escaping") else { return }
    let outcome = try await plugin.outcome("survive")
    #expect(outcome.refusal?.description == "system (prctl)", "\(outcome)")
  }

  @Test("a worker does not make the host the receiver of signals", arguments: ["fcntl", "extended", "ioctl"])
  func signals(call: String) async throws {
    guard let plugin = try IsolatedPlugin.confined("escaping") else { return }
    let outcome = try await plugin.outcome("direct_signals", .string(call), .bool(true))
    #expect(outcome.refusal?.description == "processes (\(call == "ioctl" ? call : "fcntl"))", "\(outcome)")
    guard call == "fcntl" else { return }
    #expect(try await plugin.outcome("direct_signals", .string(call), .bool(false)).value == .int(0))
  }
}
