import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@Suite("Calls: where they run")
struct Contexts {
  @Test("calls in a concurrent context run side by side")
  func concurrent() async throws {
    let host = try Host.loading("blocking")
    // The first call blocks a thread until the second one has been made.
    let blocked = host.call("block", of: "test.blocking", on: .userInitiated)
    _ = await host.outcome("await", of: "test.blocking")
    #expect(blocked.state == .pending)
    _ = await host.call("release_all", of: "test.blocking", on: .userInitiated).outcome()
    #expect(await blocked.outcome().value == .int(1))
  }

  @Test("many threads call one plugin at once")
  func threads() async throws {
    let host = try Host.loading("types")
    try host.load(try Fixture.plugin("whole"))
    let total = await withTaskGroup(of: Int64.self) { group in
      for task in 0..<8 {
        group.addTask {
          var sum: Int64 = 0
          for index in 0..<500 {
            let text = "\(task).\(index)"
            let echo = await host.outcome("own_str", of: "test.types", [.value(.string(text))]).value
            #expect(echo == .string(text))
            if case .int(let number)? = await host.outcome("add", of: "test.whole", [.value(.int(1)), .value(.int(1))])
              .value
            {
              sum += number
            }
          }
          return sum
        }
      }
      return await group.reduce(0, +)
    }
    #expect(total == 8 * 500 * 2)
  }
}
