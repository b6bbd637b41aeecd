import Foundation
import Testing

extension EndToEnd {
  @Suite struct AdoptionTests {
    /// Calls `body` with a file of this text.
    private func withFile(_ text: String, name: String = "math.adopt.yaml", _ body: (URL) throws -> Void) throws {
      let folder = try TemporaryFolder()
      try folder.write(text, to: name)
      try body(folder.url.appending(path: name))
    }

    @Test func aFileMakesALibraryAPlugin() throws {
      let file = "\(Package.adopted)/libm.adopt.yaml"
      let call = try HostProcess.run("call", file, "pow", "2", "10")
      #expect(call.errors == "")
      #expect(call.text == "1024.0\n")
      let named = try HostProcess.run("call", "--plugins", Package.adopted, "libm", "sqrt", "x=2.25")
      #expect(named.text == "1.5\n", "\(named.errors)")
      let id = try HostProcess.run("call", "--plugins", Package.adopted, "org.gnu.libm", "sqrt", "-1")
      #expect(id.text == "\"NaN\"\n", "\(id.errors)")
    }

    @Test func inspectAndListShowIt() throws {
      try withFile("{library: libm.so.6, version: '9', functions: ['sqrt(x: f64) -> f64']}") { file in
        let page = try HostProcess.run("inspect", file.path)
        #expect(page.errors == "")
        #expect(page.text.hasPrefix("math 9\n\npath      /"))
        #expect(page.text.contains("adopted   \(file.path)\n"))
        #expect(page.text.contains("sqrt(x: f64) -> f64\n    double sqrt(double x);\n"))
        let folder = file.deletingLastPathComponent().path
        #expect(try HostProcess.run("list", folder).text == "math  9  1 function\n")
        let json = try HostProcess.run("inspect", "--json", file.path)
        let plugin = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
        #expect(plugin["adoption"] as? [String: String] == ["library": "libm.so.6", "file": file.path])
      }
    }

    @Test func aPipelineUsesItLikeAPlugin() throws {
      try withFile("{library: libm.so.6, functions: ['sqrt(x: f64) -> f64', 'floor(x: f64) -> f64']}") { file in
        let pipeline = file.deletingLastPathComponent().appending(path: "p.yaml")
        let text = """
          plugins: [./math.adopt.yaml]
          steps: {root: {call: math.sqrt, with: {x: 10}}, down: {call: math.floor, with: {x: {step: root}}}}
          """
        try Data(text.utf8).write(to: pipeline)
        let ending = try HostProcess.run("run", "--progress", "off", pipeline.path)
        #expect(ending.text == "3.0\n", "\(ending.errors)")
      }
    }

    @Test(arguments: ["./m.so", "sub/\u{301}m.so"])
    func aLibraryBesideTheFileIsFoundByItsPath(path: String) throws {
      let libraries = try HostProcess.run("inspect", "\(Package.adopted)/libm.adopt.yaml").text.split(separator: "\n")
      let library = try #require(libraries.first { $0.hasPrefix("path") }?.split(separator: " ").last)
      try withFile("{library: \(path), functions: [{signature: 'root(x: f64) -> f64', symbol: sqrt}]}") { file in
        let link = file.deletingLastPathComponent().appending(path: path)
        try FileManager.default.createDirectory(
          at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: String(library))
        #expect(try HostProcess.run("call", file.path, "root", "4").text == "2.0\n")
      }
    }

    @Test(
      "a relative path of a library works in a worker process",
      arguments: [("./x.adopt.yaml", "in"), ("in/x.adopt.yaml", ".")])
    func relative(file: String, folder: String) throws {
      let root = try TemporaryFolder()
      try FileManager.default.createDirectory(at: root.url.appending(path: "in"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: AdoptableLibrary.path, toPath: root.path("in/s.so"))
      let functions = "['shape_sum(seed: u32, data: bytes[length], length: usize) -> u32']"
      try root.write("library: ./s.so\nfunctions: \(functions)\n", to: "in/x.adopt.yaml")
      let host = try HostProcess(["call", "--isolation", "process", file, "shape_sum", "1", "a"])
      host.process.currentDirectoryURL = root.url.appending(path: folder)
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.text == "98\n", "\(ending.errors)")
    }

    @Test("a library is found in a worker process by a relative path, and in a relative folder of the environment")
    func relativeSignatures() throws {
      let root = try TemporaryFolder()
      try FileManager.default.copyItem(atPath: AdoptableLibrary.path, toPath: root.path("s.so"))
      for library in ["./s.so", "s.so"] {
        let host = try HostProcess(
          [
            "call", "--isolation", "process", "--signature",
            "shape_sum(seed: u32, data: bytes[length], length: usize) -> u32", library, "1", "a",
          ], environment: ["LD_LIBRARY_PATH": "."])
        host.process.currentDirectoryURL = root.url
        try host.process.run()
        let ending = try host.wait()
        #expect(ending.text == "98\n", "\(library): \(ending.errors)")
      }
    }

    @Test(arguments: [
      ("library: libm.so.6", "1:1: error: an adoption needs the key \"functions\""),
      ("functions: []", "1:1: error: an adoption needs the key \"library\""),
      (
        "library: libm.so.6\nfunctions: [{signature: 'f(x: int)'}]",
        "2:25: error: in the signature, column 6: found 'int', expected a type"
      ),
      (
        "library: libm.so.6\nfunctions:\n  - f(x: f64)",
        "a signature must stand in quotes: 'name(parameter: type) -> type'"
      ),
      ("library: libm.so.6\nfunctions: [{symbol: f}]", "2:13: error: a function needs the key \"signature\""),
      ("library: libm.so.6\nfunctions: [{signature: 'f()', simbol: g}]", "did you mean \"symbol\"?"),
      ("library: libm.so.6\nfunctions: 3", "\"functions\" must be a list"), ("", "the file is empty"),
      ("[", "not YAML"),
      ("library: libm.so.6\nfunctions: ['nonsense()']", "libm.so.6: does not define nonsense"),
      ("library: libm.so.6\nfunctions:\n  - 'sin()'\n  - 'nonsense()'", ":4:5: note: \"nonsense\" is listed here"),
      (
        "library: libm.so.6\nfunctions:\n  - 'sin() -> own(nonsense) cstr'", ":3:5: note: \"sin\" is listed here"
      ),
      (
        "library: libm.so.6\nfunctions:\n  - 'sin()'\n  - 'sin() -> i32'",
        ":4:5: error: a second function named 'sin'; the first is in line 3: give it another name"
      ),
      (
        "library: libm.so.6\nfunctions:\n  - signature: sin(x: f64) -> f64",
        ":3:21: error: not YAML: mapping values are not allowed in this context; a text with \": \" in it stands in quotes"
      ),
      ("library: libnone.so\nfunctions: []", "libnone.so: no such library in the folders of the system's loader"),
      ("{library: libm.so.6, id: 'a b', functions: []}", "has the id \"a b\""),
    ])
    func aMistakeInAFileIsStatusTwo(text: String, part: String) throws {
      try withFile(text) { file in
        let ending = try HostProcess.run("call", file.path, "f")
        #expect(ending.status == 2)
        #expect(ending.text == "")
        #expect(ending.errors.contains(part), "\(ending.errors)")
        #expect(ending.errors.contains(file.path), "\(ending.errors)")
      }
    }

    @Test func anErrorOfTheFileItselfNamesItOnce() throws {
      try withFile("{library: libm.so.6, id: 'a b', functions: []}") { file in
        let ending = try HostProcess.run("call", file.path, "f")
        #expect(ending.errors.hasPrefix("plugin-host: \(file.path): has the id \"a b\", expected "), "\(ending.errors)")
      }
    }

    @Test func fieldsOfAnObjectAreReadByACopy() throws {
      let folder = try TemporaryFolder()
      let files = [
        "z.adopt.yaml": """
        library: libz.so.1
        functions:
          - 'deflateInit_(strm: out(112) own(deflateEnd) ptr<z_stream>, level: i32, version: cstr, size: i32) -> i32'
        """,
        "f.adopt.yaml": """
        library: libc.so.6
        id: f
        functions:
          - signature: |
              fields(fields: out {next_in: ptr<void>?, avail_in: u32, total_in: u64, next_out: ptr<void>?,
                avail_out: u32, total_out: u64, state: [u64; 5], data_type: i32, adler: u64}, stream: ptr<z_stream>,
                size: usize = 104)
            symbol: memcpy
        """,
        "p.yaml": """
        plugins: [./z.adopt.yaml, ./f.adopt.yaml]
        steps:
          stream: {call: z.deflateInit_, with: {level: 6, version: "1", size: 112}}
          fields: {call: f.fields, with: {stream: {step: stream, get: strm}}}
        result: {step: fields, get: fields.adler}
        """,
      ]
      for (name, text) in files { try folder.write(text, to: name) }
      let ending = try HostProcess.run("run", "--isolation", "in-process", "--log", "off", folder.path("p.yaml"))
      #expect(ending.status == 0, "\(ending.errors)")
      // The Adler-32 of no data.
      #expect(ending.text == "1\n", "\(ending.text)")
    }

    @Test func anErrorListsFewFunctionsAlone() throws {
      let file = TemporaryPath(".adopt.yaml")
      for (count, part) in [(40, "it has:\nplugin-host:   f1(x: f64) -> f64\n"), (41, "it has 41 functions: ")] {
        let functions = (1...count).map { "  - {signature: 'f\($0)(x: f64) -> f64', symbol: cbrt}\n" }
        try Data(("library: libm.so.6\nfunctions:\n" + functions.joined()).utf8).write(to: file.url)
        let ending = try HostProcess.run("call", file.path, "f0", "1")
        #expect(ending.status == 64)
        #expect(ending.errors.contains("has no function \"f0\"; did you mean"), "\(ending.errors)")
        #expect(ending.errors.contains("plugin-host: \(part)"), "\(ending.errors)")
        #expect(ending.errors.contains("plugin-host inspect \(file.path) lists them") == (count == 41))
      }
    }

    @Test func aSignatureCallsWithoutAFile() throws {
      let power = ["call", "--signature", "pow(x: f64, y: f64) -> f64", "libm.so.6"]
      for (words, expected) in [(["2", "10"], "1024.0"), (["-2", "3"], "-8.0"), (["y=3", "2"], "8.0")] {
        let ending = try HostProcess.run(power + words)
        #expect(ending.text == expected + "\n", "\(ending.errors)")
      }
      let parent = try HostProcess.run(
        "call", "--isolation", "in-process", "--signature", "getppid() -> i32", "libc.so.6")
      #expect(parent.text == "\(getpid())\n", "\(parent.errors)")
      let symbol = try HostProcess.run(
        "call", "--signature", "length(text: cstr) -> usize", "--symbol", "strlen", "libc.so.6", "four")
      #expect(symbol.text == "4\n", "\(symbol.errors)")
    }

    @Test(arguments: [
      (["--signature", "pow(x: double)", "libm.so.6"], 64, "--signature: column 8: found 'double', expected a type"),
      (["--signature", "pow(x: f64)", "libm.so.6"], 64, "lacks the argument 'x'"),
      (["--signature", "pow(x: f64)", "libm"], 2, "there is libm.so.6"),
      (["--signature", "pow(x: f64)", "./none.so"], 2, "./none.so: no such file"),
      (["--signature", "wop(x: f64)", "libm.so.6", "1"], 2, "does not define wop"),
      (["--symbol", "pow", "libm.so.6", "1"], 64, "--symbol needs --signature"),
      (["--signature", "f()"], 64, "<plugin>"),
    ])
    func aMistakeInASignatureIsReported(words: [String], status: Int32, part: String) throws {
      let ending = try HostProcess.run(["call"] + words)
      #expect(ending.status == status)
      #expect(ending.text == "")
      #expect(ending.errors.contains(part), "\(ending.errors)")
    }
  }
}
