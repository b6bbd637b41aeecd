import Foundation
import Testing

extension EndToEnd {
  /// Plans and graphs of `run`, and its limit of calls at once.
  @Suite struct PipelinePlanTests {
    private func run(
      _ text: String, _ options: String..., environment: [String: String] = [:]
    ) throws -> HostProcess.Ending {
      let file = try PipelineFile(text)
      return try HostProcess.run(["run"] + options + [file.path], environment: environment)
    }

    private let text = """
      plugins: [kinds]
      set: {file: /no/file}
      steps:
        last: {call: kinds.text, with: {x: "see ${steps.first.rows[0]}"}, after: [other, first], timeout: 1.5}
        first: {call: kinds.anything, with: {x: {rows: [1, {step: other, get: x}], s: "a\\"b"}}}
        other: {call: kinds.mixed, with: {x: 1, y: 2}}
        bad: {call: kinds.blob, with: {x: "@${file}"}, rescue: {call: kinds.blob, with: {x: {step: last}}}}
        mute: {call: kinds.nothing, after: last, rescue: {value: null}}
      result: {bad: bad, x: {step: other, get: x}}
      """

    @Test func aDryRunPrintsAndDoesNothing() throws {
      let ending = try run(text, "--dry-run")
      #expect(
        ending.text
          == #"""
          other: kinds.mixed(x: "1", y: "2")
          first: kinds.anything(x: {rows: [1, other.x], s: "a\"b"})
          last: kinds.text(x: "see ${steps.first.rows[0]}"), at most 1.5 s after other
          bad: kinds.blob(x: @/no/file), or else kinds.blob(x: last)
          mute: kinds.nothing() after last, or else null
          result: {bad: bad, x: other.x}

          """#)
      #expect(ending.errors == "")
      #expect(ending.status == 0)
      #expect(try run("plugins: [kinds]\nsteps: {a: {call: kinds.no}}", "--dry-run").status == 64)
    }

    @Test func aGraphHasEveryStep() throws {
      let ending = try run(text, "--graph", "dot")
      #expect(
        ending.text == #"""
          digraph pipeline {
            node [shape=box];
            s0 [label="last\nkinds.text"];
            s1 -> s0;
            s2 -> s0 [style=dashed];
            s1 [label="first\nkinds.anything"];
            s2 -> s1;
            s2 [label="other\nkinds.mixed", peripheries=2];
            s3 [label="bad\nkinds.blob", peripheries=2];
            s0 -> s3 [style=dotted];
            s4 [label="mute\nkinds.nothing"];
            s0 -> s4 [style=dashed];
          }

          """#)
      #expect(ending.status == 0)
    }

    @Test func graphvizDrawsTheGraph() throws {
      let file = try PipelineFile("")
      let dot = file.folder.appending(path: "dot")
      try Data("#!/bin/sh\nread -r line < \"$2\"\necho \"$1: $line\"\n".utf8).write(to: dot)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: dot.path)
      let drawn = try run(text, "--graph", "svg", environment: ["PATH": "\(file.folder.path):/bin:/usr/bin"])
      #expect(drawn.text == "-Tsvg: digraph pipeline {\n")
      #expect(drawn.status == 0)
      try Data("#!/bin/sh\necho half a picture\nexit 3\n".utf8).write(to: dot)
      let failed = try run(text, "--graph", "svg", environment: ["PATH": "\(file.folder.path):/bin:/usr/bin"])
      #expect(failed.status == 1 && failed.text == "" && failed.errors == "plugin-host: dot ended with status 3\n")
      let missing = try run(text, "--graph", "svg", environment: ["PATH": "/nowhere"])
      #expect(
        missing.errors == "plugin-host: --graph svg is drawn by Graphviz, and there is no program dot in PATH: "
          + "install graphviz, or use --graph dot\n")
      #expect(missing.status == 1)
    }

    @Test func jobsLimitTheCallsAtOnce() throws {
      let steps = (0..<30).map { "  s\($0): {call: later.most}\n" }.joined()
      let text = "plugins: [later]\nsteps:\n\(steps)  end: {call: later.most, after: ["
      let all = (0..<30).map { "s\($0)" }.joined(separator: ", ")
      #expect(try run(text + all + "]}\n", "-j", "3", "--progress", "off").text == "3\n")
      #expect(try run(text + all + "]}\n", "--jobs", "1", "--progress", "off").text == "1\n")
      #expect(try run(text + all + "]}\n", "--jobs", "0").status == 64)
    }
  }
}
