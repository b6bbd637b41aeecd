import Testing

extension EndToEnd {
  /// Plugins whose description differs from the one that the command line was checked with.
  @Suite struct ChangingDescriptionTests {
    @Test("a plugin whose id changes is named", arguments: ["in-process", "thread", "process"])
    func anIdThatChanges(isolation: String) throws {
      let plugin = FixturePlugins.path("shifting")
      let given = isolation == "process" ? ["--allow", "env=SHIFT"] : []
      let ending = try HostProcess.run(
        ["call", "--isolation", isolation] + given + [plugin, "nothing"], environment: ["SHIFT": "1"])
      #expect(ending.status == 2 && ending.text == "", "\(ending)")
      #expect(ending.errors.contains("\(plugin): "), "\(ending)")
      if isolation != "process" {
        let ids = "the id 'org.example.shifting1' when it was described, and 'org.example.shifting2' when it was loaded"
        #expect(ending.errors.contains(ids), "\(ending)")
      }
    }

    @Test(
      "a plugin whose functions change after the command line was checked is refused",
      arguments: ["in-process", "thread"])
    func functionsThatChange(isolation: String) throws {
      let plugin = FixturePlugins.path("shifting")
      let ending = try HostProcess.run(
        ["call", "--isolation", isolation, plugin, "nothing"], environment: ["RESHAPE": "1"])
      #expect(ending.status == 2 && ending.text == "", "\(ending)")
      #expect(ending.errors.contains("\(plugin): has other functions or requirements"), "\(ending)")
    }
  }
}
