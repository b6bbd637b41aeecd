import Foundation
import PromisesTestSupport
import Testing

extension EndToEnd {
  /// The elements of a list that is written in the file, and the files and texts that the calls for them share.
  @Suite struct PipelineElementTests {
    private func run(_ text: String, _ options: String...) throws -> HostProcess.Ending {
      let file = try PipelineFile(text)
      return try HostProcess.run(["run", "--progress", "off"] + options + [file.path])
    }

    @Test(
      "an element is read by the type of its parameter",
      arguments: [
        ("kinds.text", "1.10, 007, 0x10, 1e3, True, '5', ${v}", #"["1.10","007","0x10","1e3","True","5","2.50"]"#),
        ("kinds.text", "12345678901234567890123", #"["12345678901234567890123"]"#),
        ("kinds.anything", "1.10, 007, 0x10, True, '5', x, ~, ${v}, ${list}", #"[1.1,7,16,true,"5","x",null,2.5,[1]]"#),
        ("kinds.tiny", "007, '5'", "[7,5]"), ("kinds.number", "1.10, 0x10, inf", #"[1.1,16.0,"Infinity"]"#),
        ("kinds.blob", "1.10", #"["MS4xMA=="]"#), ("kinds.flip", "true, True, FALSE", "[false,false,true]"),
        ("kinds.number", ".inf, 0o17", #"["Infinity",15.0]"#), ("kinds.tiny", "0o17", "[15]"),
        ("kinds.anything", "[1.10, {a: 007}]", #"[[1.1,{"a":7}]]"#),
      ])
    func types(function: String, list: String, json: String) throws {
      let text = "plugins: [kinds]\nset: {v: 2.50, list: '[1]'}\nsteps:\n  a:\n    call: \(function)\n    each: \n"
      let elements = list.split(separator: ", ").map { "      - \($0)\n" }
      let each = list.hasPrefix("[") ? "      - \(list)\n" : elements.joined()
      let ending = try run(text + each + "    with: {x: \"${item}\"}\n")
      #expect(ending.text == json + "\n", "\(ending.errors)")
    }

    @Test("parts of an element, and texts with an element, have it as written")
    func parts() throws {
      let ending = try run(
        """
        plugins: [kinds]
        steps:
          a: {call: kinds.text, each: [{zip: 01234, more: [1.10]}], with: {x: "${item.zip} ${item.more[0]}"}}
          b: {call: kinds.number, each: [{zip: 01234}], with: {x: "${item.zip}"}}
          c: {call: kinds.mixed, each: [{x: 1.50, y: 2}], with: {x: "${item.x}", y: "${item.y}"}}
          d: {call: kinds.anything, each: [{a: 01}, [02]], with: {x: "${item}"}}
        result: [a, b, c, d]
        """)
      #expect(
        ending.text == #"{"a":["01234 1.10"],"b":[1234.0],"c":[{"x":1.5,"y":2.0}],"d":[{"a":1},[2]]}"#
          + "\n", "\(ending.errors)")
    }

    @Test("a struct in a list has its fields as written")
    func fields() throws {
      let ending = try run(
        "plugins: [kinds]\n"
          + "steps: {a: {call: kinds.event, each: [{kind: 2, data: {text: 1.10}}], with: {e: \"${item}\"}}}\n")
      #expect(ending.text == #"[{"kind":2,"data":{"text":"1.10"}}]"# + "\n", "\(ending.errors)")
    }

    @Test("a wrong element names its place and kind, and no part of a secret")
    func mistakes() throws {
      let secret = "secret of more than forty characters, which no message shows"
      for kind in ["abc", "'${s}'"] {
        let file = try PipelineFile(
          "plugins: [kinds]\nset: {n: 0}\nsecrets: {s: {env: SECRET}}\n"
            + "steps: {a: {call: kinds.event, each: [{kind: \(kind), data: {text: x}}], "
            + "when: index == n, with: {e: '${item}'}}}\n")
        let ending = try HostProcess.run(["run", "--progress", "off", file.path], environment: ["SECRET": secret])
        #expect(ending.status == 1, "\(ending)")
        #expect(ending.errors.contains("argument 'e.kind' is a string, expected an integer from"), "\(ending.errors)")
        #expect(!ending.errors.contains("secret of more"), "\(ending.errors)")
      }
    }

    @Test(
      "a wrong element of a written list is a mistake before anything runs",
      arguments: [
        (
          "kinds.tiny", "[1, 300, x]", "x: '${item}'", ["[1]: \"x\" is 300, expected", "[2]: \"x\" is \"x\", expected"]
        ),
        ("kinds.mixed", "[{x: 1, y: 2}, {x: 1}]", "x: '${item.x}', y: '${item.y}'", ["[1]: \"y\": "]),
        ("kinds.event", "[{kind: abc, data: {text: x}}]", "e: '${item}'", ["[0]: \"e.kind\" is \"abc\", expected"]),
        ("kinds.tiny", "'[1, null]'", "x: '${item}'", ["[1]: \"x\" is null, expected"]),
        ("kinds.tiny", "[1, 2]", "x: '${item}00'", ["[1]: \"x\" is \"200\", expected"]),
      ])
    func written(function: String, list: String, with: String, messages: [String]) throws {
      let ending = try run(
        "plugins: [kinds]\nsteps:\n  a: {call: \(function), each: \(list), with: {\(with)}}\n", "--dry-run")
      #expect(ending.status != 0, "\(ending)")
      for message in messages { #expect(ending.errors.contains(message), "\(ending.errors)") }
      #expect(!ending.errors.contains("[0]") || messages[0].hasPrefix("[0]"), "\(ending.errors)")
    }

    @Test("a condition of elements may leave out those that do not suit")
    func conditions() throws {
      let step = "call: kinds.text, each: [~, x, [1]], with: {x: '${item}'}"
      let right = try run("plugins: [kinds]\nsteps: {a: {\(step), when: index == 1}}\n")
      #expect(right.status == 0 && right.text.contains("\"x\""), "\(right)")
      for index in [0, 2] {
        let wrong = try run("plugins: [kinds]\nsteps: {a: {\(step), when: index == \(index)}}\n")
        #expect(wrong.status == 1 && wrong.errors.contains("argument 'x' is "), "\(wrong)")
      }
    }

    @Test("null is an absent optional text, and a result in a list is a text where one is expected")
    func nullAndResults() throws {
      let folder = try TemporaryFolder()
      try folder.write(
        "library: libc.so.6\nfunctions: ['setlocale(category: i32, locale: cstr?) -> cstr?']\n",
        to: "c.adopt.yaml")
      try folder.write(
        """
        plugins: [./c.adopt.yaml, kinds]
        steps:
          l: {call: c.setlocale, each: [~, "null", {n: ~}], with: {category: 6, locale: "${item}"}, when: index < 2}
          p: {call: c.setlocale, each: [{n: ~}], with: {category: 6, locale: "${item.n}"}}
          m: {call: kinds.mixed, with: {x: 1, y: 2}}
          r: {call: kinds.text, each: ["${steps.m}"], with: {x: "${item}"}}
          s: {call: kinds.text, each: [{o: "${steps.m}"}], with: {x: "${item.o}"}}
          t: {call: kinds.text, each: [{o: "${steps.m}"}], with: {x: "${item.o.x}"}}
        result: [l, p, r, s, t]
        """, to: "p.yaml")
      let ending = try HostProcess.run("run", "--progress", "off", folder.path("p.yaml"))
      let mixed = #"["{\"x\":1.0,\"y\":2.0}"]"#
      // The locale "null" does not exist; null asks for the name of the current one.
      #expect(ending.text.hasPrefix(#"{"l":[""#) && ending.text.contains(#"",null"#), "\(ending)")
      #expect(ending.text.contains(#""p":[""#), "\(ending)")
      #expect(ending.text.hasSuffix("\"r\":\(mixed),\"s\":\(mixed),\"t\":[\"1.0\"]}\n"), "\(ending)")
    }

    @Test("a text in a list where a number is expected is named by its place")
    func textsInLists() throws {
      let ending = try run(
        "plugins: [kinds]\nsteps: {t: {call: kinds.text, with: {x: abc}}, "
          + "a: {call: kinds.event, with: {e: {kind: 'a${steps.t}', data: {text: x}}}}}\n")
      #expect(
        ending.status == 1 && ending.errors.contains("argument 'e.kind' is \"aabc\", expected"), "\(ending.errors)")
    }

    @Test("a log of a long list has a line for each tenth of it")
    func progress() throws {
      let list = (0..<300).map(String.init).joined(separator: ", ")
      let file = try PipelineFile(
        "plugins: [kinds]\nsteps: {a: {call: kinds.whole, each: [\(list)], with: {x: \"${item}\"}}}\n")
      let ending = try HostProcess.run("run", "--progress", "plain", "-j", "1", file.path)
      let lines = ending.errors.split(separator: "\n").dropFirst().dropLast()
      let tenths = (0...10).map { "a: \($0 * 10) % of 300" }
      #expect(lines.map(String.init) == tenths, "\(ending.errors)")
    }

    @Test("the plan shows a list as written")
    func plan() throws {
      let ending = try run(
        "plugins: [kinds]\nsteps: {a: {call: kinds.anything, each: [{zip: 01234}, 1.10], with: {x: \"${item}\"}}}\n",
        "--dry-run")
      #expect(ending.text.contains("for each of [{zip: 01234}, 1.10]\n"), "\(ending.text)")
    }

    /// The first call removes the file in which it finds the path of the file.
    @Test("a file is read once for all calls of a step")
    func files() throws {
      let folder = try TemporaryFolder()
      try folder.write("library: libc.so.6\nfunctions: ['remove(path: cstr) -> i32']\n", to: "c.adopt.yaml")
      for name in ["f", "${name}", "${steps.n}"] {
        try folder.write(folder.path("f"), to: "f")
        try folder.write(
          """
          plugins: [./c.adopt.yaml, kinds]
          set: {name: f}
          steps:
            n: {call: kinds.text, with: {x: f}}
            a: {call: c.remove, each: [1, 2], limit: 1, with: {path: "@\(folder.url.path)/\(name)"}}
          """, to: "p.yaml")
        let ending = try HostProcess.run("run", "--progress", "off", folder.path("p.yaml"))
        #expect(ending.text == "[0,-1]\n", "\(ending.errors)")
      }
    }

    @Test("a file whose name has the element in it is read for each")
    func filesOfElements() throws {
      let folder = try TemporaryFolder()
      for name in ["0", "1", "x", "y"] { try folder.write("content of \(name)", to: name) }
      for (path, json) in [
        ("${item}", #"["content of x","content of y"]"#), ("${index}", #"["content of 0","content of 1"]"#),
      ] {
        let ending = try run(
          "plugins: [kinds]\nsteps: {a: {call: kinds.text, each: [x, y], with: {x: \"@\(folder.url.path)/\(path)\"}}}\n"
        )
        #expect(ending.text == json + "\n", "\(ending.errors)")
      }
    }

    @Test(
      "the replacement of a result has the result's type",
      arguments: [
        ("c.getenv, with: {name: NO_SUCH_VARIABLE}", "null", "null"),
        ("kinds.fail, with: {message: m}", "null", "null"),
        ("kinds.mixed, with: {x: 1, y: 2}", "{x: 3, y: \"${n}\"}", #"{"x":3.0,"y":4.0}"#),
        ("kinds.mixed, with: {x: 1, y: 2}", "'{\"x\": 3, \"y\": 4}'", #"{"x":3.0,"y":4.0}"#),
        ("kinds.anything, with: {x: 1}", "", "null"),
        ("kinds.anything, with: {x: 1}", "[1, {a: \"2\"}]", #"[1,{"a":"2"}]"#),
        ("kinds.anything, with: {x: 1}", "unknown", #""unknown""#), ("kinds.anything, with: {x: 1}", "5", "5"),
        ("c.getenv, with: {name: X}", "\"null\"", #""null""#), ("c.getenv, with: {name: X}", "\"@x\"", #""@x""#),
      ])
    func replacements(call: String, value: String, json: String) throws {
      let folder = try TemporaryFolder()
      try folder.write("library: libc.so.6\nfunctions: ['getenv(name: cstr) -> cstr?']\n", to: "c.adopt.yaml")
      try folder.write(
        """
        plugins: [./c.adopt.yaml, kinds]
        set: {n: 4}
        steps:
          a: {call: \(call), rescue: {value: \(value)}}
        """, to: "p.yaml")
      let plan = try HostProcess.run("run", "--dry-run", folder.path("p.yaml"))
      #expect(plan.text.contains(", or else \(json)\n"), "\(plan.text)\(plan.errors)")
    }

    @Test("the cost of a secret that is JSON is linear in the number of its values")
    func secrets() throws {
      func cost(_ count: Int) throws -> Double {
        let folder = try TemporaryFolder()
        let members = (0..<count).map { "\"k\($0)\": \"secret value \($0)\"" }
        try folder.write("{\(members.joined(separator: ", "))}", to: "s.json")
        try folder.write(
          "plugins: [kinds]\nsecrets: {s: {file: s.json}}\nsteps: {a: {call: kinds.tiny}}\n", to: "p.yaml")
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = [
          "-c", "\"$0\" run --dry-run \"$1\" > /dev/null && times", HostProcess.executable.path,
          folder.path("p.yaml"),
        ]
        shell.environment = ["PROMISE_PLUGIN_PATH": FixturePlugins.folder.path, "PROMISE_ACCEPT_UNSAFE_FILES": "1"]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        // The user and the system time of the shell, and then those of its children, such as 0m1.25s.
        let parts = text.split { " ms\n".contains($0) }.compactMap { Double($0) }
        try #require(parts.count == 8, "\(text)")
        return parts[4] * 60 + parts[5]
      }
      let costs = try least(until: isLinear) { try [1, 200, 800].map(cost) }
      #expect(isLinear(costs), "seconds of 1, 200 and 800 values: \(costs)")
    }

    private func isLinear(_ costs: [Double]) -> Bool { costs[2] - costs[0] <= 8 * max(costs[1] - costs[0], 0.02) }
  }
}
