import Foundation
import Testing

extension EndToEnd {
  /// Failures of steps: which is reported, and which calls follow.
  @Suite struct PipelineFailureTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ steps: String, _ options: [String] = []) throws -> HostProcess.Ending {
      try folder.write(
        "library: libc.so.6\nfunctions: ['system(command: cstr) -> i32 ! nonzero']\n", to: "c.adopt.yaml")
      try folder.write(
        "plugins: [./c.adopt.yaml, calling, kinds]\nset: {log: \(folder.path("log"))}\nsteps:\n\(steps)\n", to: "p.yaml"
      )
      return try HostProcess.run(["run", "--progress", "off"] + options + [folder.path("p.yaml")])
    }

    @Test(
      "a step whose replacement lacks an input fails with its own error",
      arguments: ["when: 1 > 2", "each: [1], when: 1 > 2", "after: f, when: 1 > 2"])
    func rescueWithoutInputs(alt: String) throws {
      let each = alt.hasPrefix("each") ? ", each: [1, 2]" : ""
      let ending = try run(
        """
          f: {call: kinds.text}
          alt: {call: kinds.text, with: {x: spare}, \(alt)}
          a: {call: kinds.setting, with: {key: none}\(each), rescue: {call: kinds.text, with: {x: "${steps.alt}"}}}
        """)
      let place = each.isEmpty ? "" : "[0]: "
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      #expect(ending.errors == "plugin-host: a: \(place)not set (fixture 8)\n")
    }

    @Test("the error of a step is reported beside that of the input of its replacement")
    func rescueWithARejectedInput() throws {
      let ending = try run(
        """
          alt: {call: kinds.setting, with: {key: nothing}}
          a: {call: kinds.fail, with: {message: own}, rescue: {call: kinds.say, with: {level: 1, message: "${steps.alt}"}}}
        """)
      #expect(ending.errors == "plugin-host: alt: not set (fixture 8)\nplugin-host: a: own (fixture 7)\n")
    }
  }
}
