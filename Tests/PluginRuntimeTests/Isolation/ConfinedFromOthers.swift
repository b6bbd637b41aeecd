import Foundation
import Glibc
import PluginRuntime
import PromisesTestSupport
import Testing

@Suite("Isolation: a worker does not reach other processes")
struct ConfinedFromOthers {
  @Test("pairs of sockets are refused: some can send to any address, and each can hold descriptors that count for all")
  func pairs() async throws {
    let folder = URL(fileURLWithPath: try Fixture.file("none", containing: [])).deletingLastPathComponent().path
    let path = "\(folder)/s"
    let receiver = try Datagrams(at: path)
    guard let plugin = try IsolatedPlugin.confined("reaching") else { return }
    let sent = try await plugin.outcome("send_datagram", .string(path))
    #expect(sent.refusal?.description == "network (socketpair)", "\(sent)")
    #expect(receiver.isEmpty)
    let types = [SOCK_DGRAM, SOCK_RAW, SOCK_STREAM, SOCK_SEQPACKET].map { Int64($0.rawValue) }
    for type in types {
      let outcome = try await plugin.outcome("make_pair", .int(type))
      #expect(outcome.refusal?.description == "network (socketpair)", "\(type): \(outcome)")
    }
    // Names that other programs' sockets may have: in the abstract namespace, and a file.
    for name in ["", "\(folder)/named"] {
      let outcome = try await plugin.outcome("name_socket", .string(name))
      #expect(outcome.refusal?.description == "network (bind)", "\(outcome)")
    }
    let allowed = try #require(try IsolatedPlugin.confined("reaching", ["network"]))
    let named = try await allowed.outcome("name_socket", .string(""))
    #expect(named.value == .int(0), "\(named)")
    for type in types { #expect(try await allowed.outcome("make_pair", .int(type)).value == .int(0), "\(type)") }
  }

  @Test("objects of the system that other processes find, and that outlive the worker, are refused")
  func objects() async throws {
    guard let plugin = try IsolatedPlugin.confined("reaching") else { return }
    #expect(try await plugin.outcome("make_segment").refusal?.description == "system (shmget)")
    for call in [
      "shmat", "shmctl", "semget", "semctl", "semtimedop", "msgget", "msgctl", "msgsnd", "msgrcv", "mq_open",
      "mq_unlink",
    ] {
      let outcome = try await plugin.outcome("use_ipc", .string(call))
      #expect(outcome.refusal?.description == "system (\(call))", "\(call): \(outcome)")
    }
  }

  private static let calls = [
    "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "setpriority", "ioprio_set", "tkill",
  ]

  @Test("the scheduling of other processes, and signals to their threads, are refused", arguments: calls)
  func scheduling(call: String) async throws {
    guard let plugin = try IsolatedPlugin.confined("reaching") else { return }
    let outcome = try await plugin.outcome("schedule_host", .string(call))
    let capability = call == "tkill" ? "processes" : "system"
    #expect(outcome.refusal?.description == "\(capability) (\(call))", "\(outcome)")
    // The number 0 means the caller, except to tkill().
    for function in ["schedule_process", "schedule_thread"] + (call == "tkill" ? [] : ["schedule_caller"]) {
      let own = try await plugin.outcome(function, .string(call))
      #expect(own.value == .int(0), "\(function): \(own)")
    }
  }

  @Test("the priority of all processes of a user is refused", arguments: ["setpriority", "ioprio_set"])
  func users(call: String) async throws {
    guard let plugin = try IsolatedPlugin.confined("reaching") else { return }
    let outcome = try await plugin.outcome("schedule_user", .string(call))
    #expect(outcome.refusal?.description == "system (\(call))", "\(outcome)")
  }

  @Test("a process that the worker may start changes its own scheduling, and not that of its host")
  func children() async throws {
    guard let plugin = try IsolatedPlugin.confined("reaching", ["processes"]) else { return }
    let host = try await plugin.outcome("schedule_host", .string("sched_setaffinity"))
    #expect(host.refusal?.capability == .system, "\(host)")
    #expect(try await plugin.outcome("schedule_child").value == .int(0))
  }

  @Test("a process signals itself")
  func itself() async throws {
    guard let plugin = try IsolatedPlugin.confined("reaching") else { return }
    #expect(try await plugin.outcome("signal_itself").value == .int(0))
  }
}

/// A socket for datagrams at a path.
private final class Datagrams {
  private let descriptor: Int32

  init(at path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let capacity = MemoryLayout.size(ofValue: name.sun_path)
    try #require(bytes.count < capacity)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    let bound = withUnsafePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
  }

  deinit { close(descriptor) }

  /// Whether nothing was received.
  var isEmpty: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) < 0
  }
}
