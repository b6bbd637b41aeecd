import Foundation
import Testing

extension EndToEnd {
  /// The names that included files share with the file that includes them: serial names, settings of plugins, steps.
  @Suite struct PipelineIncludedNamesTests {
    private func run(_ files: [String: String], _ options: String...) throws -> HostProcess.Ending {
      let folder = try TemporaryFolder()
      for (name, text) in files { try folder.write(text, to: name) }
      return try HostProcess.run(["run", "--progress", "off"] + options + [folder.path("p.yaml")])
    }

    @Test func aSerialNameIsThatOfTheWholePipeline() throws {
      let steps = (0..<8).map { "  s\($0): {call: later.alone, serial: db}\n" }.joined()
      let part = "plugins: [later]\nsteps:\n\(steps)"
      let ending = try run([
        "p.yaml": part.replacing("steps:", with: "include: {one: {file: q.yaml}, two: {file: q.yaml}}\nsteps:"),
        "q.yaml": part,
      ])
      #expect(ending.status == 0, "\(ending.errors)")
    }

    private static let setting = "plugins: [kinds]\nsteps: {a: {call: kinds.setting, with: {key: k}}}\n"

    @Test("the settings of a file win over those of the files that it includes")
    func settingsOfTheIncludingFile() throws {
      let part = Self.setting + "include: {r: {file: r.yaml}}\nconfig: {kinds: {k: part}}\n"
      let files = ["q.yaml": part, "r.yaml": Self.setting + "config: {org.example.kinds: {k: inner}}\n"]
      let main = Self.setting + "include: {q: {file: q.yaml}}\n"
      #expect(try run(files.merging(["p.yaml": main]) { $1 }).text == "\"part\"\n")
      let own = main + "config: {kinds: {k: own}}\n"
      #expect(try run(files.merging(["p.yaml": own]) { $1 }).text == "\"own\"\n")
      #expect(try run(files.merging(["p.yaml": own]) { $1 }, "--config", "kinds:k=given").text == "\"given\"\n")
    }

    @Test("settings of two included files that differ are a mistake, with both places")
    func settingsOfTwoFiles() throws {
      let main = Self.setting + "include: {q: {file: q.yaml}, r: {file: r.yaml}}\n"
      func part(_ value: String) -> String { Self.setting + "config: {kinds: {k: \(value)}}\n" }
      #expect(try run(["p.yaml": main, "q.yaml": part("one"), "r.yaml": part("one")]).text == "\"one\"\n")
      let ending = try run(["p.yaml": main, "q.yaml": part("one"), "r.yaml": part("two")])
      #expect(ending.status == 64)
      #expect(
        ending.errors.contains("r.yaml:3:21: error: \"k\" of org.example.kinds has another value at "),
        "\(ending.errors)")
      #expect(ending.errors.contains("q.yaml:3:21; a file that includes both can give it one"), "\(ending.errors)")
    }

    @Test("steps of included files are named in texts and conditions, as elsewhere")
    func stepsByName() throws {
      let ending = try run([
        "p.yaml": """
        plugins: [kinds]
        include: {m: {file: q.yaml}}
        steps:
          a: {call: kinds.text, with: {x: "${steps.m.one.n[1]} ${steps.m.in.x}"}, when: "steps.m.one.n[0] == 4"}
          b: {call: kinds.anything, with: {x: {step: m, get: one.n}}}
          c: {call: kinds.anything, with: {x: {step: m.one, get: n}}}
        result: [a, b, c]
        """,
        "q.yaml": """
        plugins: [kinds]
        include: {in: {file: r.yaml}}
        steps: {one: {call: kinds.anything, with: {x: {n: [4, 5]}}}, two: {call: kinds.tiny}}
        """,
        "r.yaml": "plugins: [kinds]\nsteps: {x: {call: kinds.text, with: {x: deep}}}\n",
      ])
      #expect(ending.text == #"{"a":"5 deep","b":[4,5],"c":[4,5]}"# + "\n", "\(ending.errors)")
    }

    @Test("the name of a variable of the including file says how an include gets it")
    func variablesOfTheIncludingFile() throws {
      let ending = try run([
        "p.yaml": "plugins: [kinds]\nset: {outer: 1}\ninclude: {m: {file: q.yaml}}\nsteps: {a: {call: kinds.tiny}}\n",
        "q.yaml": "plugins: [kinds]\nset: {own: 1}\nsteps: {a: {call: kinds.fail, with: {message: \"${outer}\"}}}\n",
      ])
      #expect(
        ending.errors.contains(
          "q.yaml:3:47: error: no variable is named \"outer\" in this included file; \"set\" declares them here, and "
            + "\"set\" of the include gives them values"), "\(ending.errors)")
    }
  }
}
