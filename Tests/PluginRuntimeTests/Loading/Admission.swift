import PluginRuntime
import Testing

@Suite("Loading: the rule of the program")
struct Admission {
  @Test("a file that the rule refuses is not loaded, with the reason and its kind")
  func refusals() async {
    // The rule is that of the whole process.
    await #expect(processExitsWith: .success) {
      let path = try Fixture.plugin("dying")
      for (refusal, kind) in [
        (.notTrusted("is unknown"), .notTrusted), (.quarantined("has crashed"), .quarantined),
      ] as [(LibraryAdmission.Refusal, PluginError.Kind)] {
        LibraryAdmission.install { _, _ in refusal }
        let error = #expect(throws: PluginError.self) { try Host().load(path) }
        #expect(error?.kind == kind)
      }
      LibraryAdmission.install { _, _ in nil }
      try Host().load(path)
    }
  }
}
