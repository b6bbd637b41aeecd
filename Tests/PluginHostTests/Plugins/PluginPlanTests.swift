import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct PluginPlanTests {
  @Test func aPluginWithoutAThreadIsAnError() throws {
    let finder = PluginFinder(given: [], environment: nil)
    var plan = PluginPlan(finder: finder, place: .thread)
    let known = try plan.add(FixturePlugins.path("kinds"))
    let thread = try plan.thread(of: known)
    #expect(try plan.thread(of: known) === thread)
    let other = try PluginPlan.inspect(plugin: FixturePlugins.path("later"))
    let error = #expect(throws: PluginError.self) { try plan.thread(of: other) }
    #expect(error?.kind == .loadFailed && error?.subject == "org.example.later", "\(error as Any)")
  }

  @Test func aTimeLimitForLoadingLeavesAWorkerAtLeastTheUsualTimeToStart() {
    let usual = IsolationOptions.runningThisProgram(timeout: nil).startTimeout
    for timeout in [usual / 10, usual * 10] {
      let options = IsolationOptions.runningThisProgram(timeout: timeout)
      #expect(options.loadTimeout == timeout && options.startTimeout == max(timeout, usual))
    }
  }
}
