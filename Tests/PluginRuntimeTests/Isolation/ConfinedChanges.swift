import Foundation
import Glibc
import PluginRuntime
import PromisesTestSupport
import Testing

@Suite("Isolation: a plugin does not extend its rights")
struct ConfinedChanges {
  /// A file that no rule allows, in a folder of its own.
  private let secret: String
  /// A folder that the plugin may write to.
  private let work: String

  init() throws {
    secret = try Fixture.file("secret", containing: "secret".utf8)
    work = Fixture.file("work")
    try #require(mkdir(work, 0o700) == 0)
  }

  private func link(_ path: String, to target: String) throws { try #require(symlink(target, path) == 0) }

  private func expectRefusal(_ plugin: IsolatedPlugin, _ comment: String) async throws {
    let outcome = try await plugin.outcome("read_file", .string(secret))
    #expect(outcome.refusal?.description == "read=\(secret) (openat)", "\(comment): \(outcome)")
  }

  @Test("a symbolic link in place of a signature, or of a library that the plugin needs, gives no right to its target")
  func besideThePlugin() async throws {
    for target in ["/", secret] {
      let signed = try Fixture.plugin("greedy")
      try link("\(signed).sig", to: target)
      guard let first = try IsolatedPlugin.confined(at: signed) else { return }
      try await expectRefusal(first, "signature, \(target)")
      let needing = try Fixture.plugin("greedy", ["-Wl,-rpath,$ORIGIN/x"])
      let folder = URL(filePath: needing).deletingLastPathComponent().appending(path: "x").path
      try #require(mkdir(folder, 0o700) == 0)
      try link("\(folder)/libc.so.6", to: target)
      let second = try #require(try IsolatedPlugin.confined(at: needing))
      try await expectRefusal(second, "library, \(target)")
    }
  }

  @Test("a signature beside a plugin, and a library that it needs over a link, may be read")
  func filesOfThePlugin() async throws {
    let folder = URL(filePath: Fixture.file("x")).deletingLastPathComponent().resolvingSymlinksInPath().path
    let library = try Fixture.library("own", from: "int own(void) { return 1; }", by: "cc")
    let name = "libown-\(UUID().uuidString).so"
    try link("\(folder)/\(name)", to: library)
    let path = try Fixture.plugin(
      "greedy", ["-Wl,--no-as-needed", "-L\(folder)", "-l:\(name)", "-Wl,-rpath,\(folder)"])
    try Data(count: 64).write(to: URL(filePath: "\(path).sig"))
    guard let plugin = try IsolatedPlugin.confined(at: path) else { return }
    for file in ["\(path).sig", "\(folder)/\(name)"] {
      let outcome = try await plugin.outcome("read_file", .string(file))
      #expect(outcome.value == .int(0), "\(file): \(outcome)")
    }
  }

  @Test("a plugin that may write beside its file makes itself no right by a link there")
  func linkBeside() async throws {
    let path = try Fixture.plugin("greedy")
    let folder = URL(filePath: path).deletingLastPathComponent().path
    guard let plugin = try IsolatedPlugin.confined(at: path, ["write=\(folder)"]) else { return }
    for link in ["\(path).sig", path] {
      #expect(try await plugin.outcome("put_link", .string("/"), .string(link)).value == .int(0))
      #expect(try await plugin.outcome("read_and_die", .string("/dev/null")).workerEnd != nil)
      try await expectRefusal(plugin, link)
    }
  }

  @Test("a link in place of a folder of a capability gives the next worker no right to its target")
  func linkForCapability() async throws {
    for name in ["in", "out"] { try #require(mkdir("\(work)/\(name)", 0o700) == 0) }
    let capabilities = ["write=\(work)", "read=\(work)/in", "write=\(work)/out"]
    guard let plugin = try IsolatedPlugin.confined("greedy", capabilities) else { return }
    #expect(try await plugin.outcome("read_file", .string("\(work)/in")).value == .int(0))
    for name in ["in", "out"] {
      #expect(try await plugin.outcome("put_link", .string("/"), .string("\(work)/\(name)")).value == .int(0))
    }
    #expect(try await plugin.outcome("read_and_die", .string("/dev/null")).workerEnd != nil)
    try await expectRefusal(plugin, "read")
    let written = try await plugin.outcome("open_with", .string(secret), .int(Int64(O_WRONLY | O_TRUNC)))
    #expect(written.refusal?.description == "write=\(secret) (openat)", "\(written)")
    // The host reports the call from its own rules. The kernel must have refused it.
    #expect(try String(contentsOfFile: secret, encoding: .utf8) == "secret")
  }

  @Test("a capability for a symbolic link is one for its target")
  func linkOfTheUser() async throws {
    try link("\(work)/link", to: secret)
    guard let plugin = try IsolatedPlugin.confined("greedy", ["read=\(work)/link"]) else { return }
    for path in [secret, "\(work)/link"] {
      #expect(try await plugin.outcome("read_file", .string(path)).value == .int(0), "\(path)")
    }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test("a file that is open only for reading keeps its mode, owner, attributes and flags")
  func readableFiles() async throws {
    let capabilities = ["read=\(secret)", "write=\(work)"]
    guard let plugin = try IsolatedPlugin.confined("greedy", capabilities) else { return }
    #expect(chmod(secret, 0o600) == 0)
    for call in ["fchmod", "fchown", "fsetxattr", "fremovexattr", "ioctl"] {
      let argument = call == "fchmod" ? 0o666 : UInt64(getuid()) + (call == "fchown" ? 1 : 0)
      let outcome = try await plugin.outcome(
        "change_open", .string(secret), .int(Int64(O_RDONLY)), .string(call), .uint(argument))
      #expect(outcome.refusal?.description == "write=\(secret) (\(call))", "\(outcome)")
    }
    #expect(mode(secret) == 0o600)
    // Landlock lets each file be opened for the access 3.
    let other = try Fixture.file("other", containing: "other".utf8)
    #expect(chmod(other, 0o600) == 0)
    for path in [secret, other] {
      _ = try await plugin.outcome("change_open", .string(path), .int(3), .string("fchmod"), .uint(0o666))
      #expect(mode(path) == 0o600, "\(path)")
    }
    let device = try await plugin.outcome(
      "change_open", .string("/dev/null"), .int(Int64(O_RDWR)), .string("fchmod"), .uint(0o666))
    #expect(device.refusal?.description == "write=/dev/null (fchmod)", "\(device)")
  }

  @Test("the mode of a file that is open for writing can be changed, without privileges, and its owner not")
  func writableFiles() async throws {
    let file = "\(work)/file"
    guard let plugin = try IsolatedPlugin.confined("greedy", ["write=\(work)"]) else { return }
    #expect(try await plugin.outcome("write_file", .string(file)).value == .int(0))
    func change(_ call: String, _ argument: UInt64) async throws -> Outcome {
      try await plugin.outcome(
        "change_open", .string(file), .int(Int64(O_WRONLY)), .string(call), .uint(argument))
    }
    #expect(try await change("fchmod", 0o4751).value == .int(0))
    #expect(mode(file) == 0o751)
    let device = try await plugin.outcome(
      "change_open", .string("/dev/null"), .int(Int64(O_RDWR)), .string("fchmod"), .uint(0o666))
    #expect(
      device.pluginError?.message
        == "was refused 'write=/dev/null (fchmod)', which needs that capability and an own file that is open for writing"
    )
    #expect(try await change("fchown", UInt64(getuid())).value == .int(0))
    #expect(try await change("fchown", UInt64(getuid()) + 1).refusal?.description == "write=\(file) (fchown)")
  }
}
