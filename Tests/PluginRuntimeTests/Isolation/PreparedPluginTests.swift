import Foundation
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Isolation: plugins that a worker has described and not loaded", .serialized)
struct PreparedPluginTests {
  private let place = Fixture.file("events")
  private let path = Fixture.file("preparing.so")
  private let options: IsolationOptions

  init() throws {
    var options = IsolationOptions.tests
    try options.capabilities.allow("write=\(URL(fileURLWithPath: place).deletingLastPathComponent().path)")
    self.options = options
    try install(1)
  }

  private func install(_ revision: Int) throws {
    let built = try Fixture.plugin("preparing", ["-DREVISION=\(revision)", "-DPLACE=\"\(place)\""])
    try #require(rename(built, path) == 0)
  }

  private var lines: [String] {
    (try? String(contentsOfFile: place, encoding: .utf8).split(separator: "\n").map(String.init)) ?? []
  }

  /// The processes that have mapped the plugin.
  private var processes: Set<pid_t> {
    Set(lines.compactMap { $0.hasPrefix("process ") ? pid_t($0.dropFirst(8)) : nil })
  }
  private var loads: [String] { lines.filter { $0.hasPrefix("load ") } }

  /// Waits until the process was reaped.
  private func waitForEnd(of process: pid_t) async throws { try await waiting { kill(process, 0) != 0 } }

  private func revision(_ host: PluginRuntime.Host) async throws -> PluginValue? {
    try await host.call("revision", of: "test.preparing", []).outcomeInTime().value
  }

  @Test("a prepared plugin is loaded in the process that described it, once")
  func loaded() async throws {
    let host = Host()
    let prepared = try PreparedPlugin(file: path, options)
    #expect(prepared.description.id == "test.preparing" && loads == [])
    #expect(try host.load(prepared, isolation: options) == prepared.description)
    for other in [host, Host()] {
      let error = #expect(throws: PluginError.self) { try other.load(prepared, isolation: options) }
      #expect(error?.kind == .closed && error?.message.contains("its prepared worker has been used") == true)
    }
    #expect(try await revision(host) == .int(1))
    #expect(processes.count == 1 && loads == ["load 1"])
    host.unloadAll()
  }

  @Test("the worker of a prepared plugin that is not loaded ends, and load() is not called")
  func released() async throws {
    var prepared: PreparedPlugin? = try PreparedPlugin(file: path, options)
    let process = try #require(processes.first)
    #expect(prepared != nil && kill(process, 0) == 0)
    prepared = nil
    try await waitForEnd(of: process)
    #expect(loads == [])
  }

  @Test("a worker that ends between the description and load() is the reason why the plugin is not loaded")
  func died() async throws {
    let host = Host()
    let prepared = try PreparedPlugin(file: path, options)
    #expect(kill(try #require(processes.first), SIGKILL) == 0)
    let error = #expect(throws: PluginError.self) { try host.load(prepared, isolation: options) }
    guard case .workerEnded(let end)? = error?.kind else { return #expect(Bool(false), "\(error as Any)") }
    #expect(end.cause == .killed(signal: SIGKILL) && loads == [])
    // Another worker is not started for it, and the plugin can be loaded anew.
    #expect(processes.count == 1)
    try host.load(path, isolation: options)
    #expect(try await revision(host) == .int(1))
    host.unloadAll()
  }

  @Test("a prepared plugin is the file that was described, also if another one is at its path by the load")
  func replaced() async throws {
    let host = Host()
    let prepared = try PreparedPlugin(file: path, options)
    try install(2)
    try host.load(prepared, isolation: options)
    #expect(try await revision(host) == .int(1))
    // So does a worker that replaces the first one.
    try await host.replaceWorker(of: "test.preparing")
    #expect(try await revision(host) == .int(1))
    #expect(loads == ["load 1", "load 1"])
    host.unloadAll()
  }

  @Test("a host that has shut down loads no prepared plugin, whose worker ends when it is released")
  func shutDown() async throws {
    let host = Host()
    var prepared: PreparedPlugin? = try PreparedPlugin(file: path, options)
    let process = try #require(processes.first)
    host.unloadAll()
    let error = #expect(throws: PluginError.self) { try host.load(#require(prepared), isolation: options) }
    #expect(error?.kind == .closed && error?.message.contains("the host is shutting down") == true)
    prepared = nil
    try await waitForEnd(of: process)
    #expect(loads == [])
  }
}
