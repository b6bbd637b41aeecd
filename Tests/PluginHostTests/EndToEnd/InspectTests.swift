import Foundation
import Testing

@testable import plugin_host

extension EndToEnd {
  @Suite struct InspectTests {
    @Test func showsAPlugin() throws {
      let ending = try HostProcess.run("inspect", "needy")
      #expect(ending.errors == "")
      #expect(
        ending.text == """
          org.example.needy 1.2.3
          Calls another plugin.

          path      \(FixturePlugins.path("needy"))
          abi       1
          requires  org.example.kinds

          ask(x: i64) -> promise<i64>
              Asks kinds.
              promise_t *ask(int64_t x);
              plugin-host call \(FixturePlugins.path("needy")) ask x=1

          """)
      #expect(ending.status == 0)
    }

    @Test func hasAJSONForm() throws {
      let ending = try HostProcess.run("inspect", "--json", FixturePlugins.path("kinds"))
      #expect(ending.errors == "")
      #expect(ending.text.filter { $0 == "\n" }.count == 1)
      let plugin = try #require(try JSONSerialization.jsonObject(with: ending.output) as? [String: Any])
      #expect(plugin["id"] as? String == "org.example.kinds")
      #expect(plugin["version"] as? String == "1.2.3")
      #expect(plugin["required"] as? [String] == [])
      #expect(plugin["abi"] as? [String: Int] == ["min": 1, "max": 1])
      let functions = try #require(plugin["functions"] as? [[String: Any]])
      let tiny = try #require(functions.first { $0["name"] as? String == "tiny" })
      #expect(tiny["signature"] as? String == "tiny(x: i8 = -3) -> i8")
      #expect(tiny["prototype"] as? String == "int8_t tiny(int8_t x);")
      #expect(tiny["result"] as? String == "i8")
      #expect(tiny["fails"] as? Bool == false)
      let parameter = try #require((tiny["parameters"] as? [[String: Any]])?.first)
      #expect(parameter["name"] as? String == "x")
      #expect(parameter["type"] as? String == "i8")
      #expect(parameter["default"] as? Int == -3)
      #expect(tiny["command"] as? String == "plugin-host call \(FixturePlugins.path("kinds")) tiny")
      #expect(tiny["canonical"] as? String == "(i8) -> i8")
      let schema = try #require(tiny["schema"] as? [String: [String: Any]])
      #expect(schema["arguments"]?["type"] as? String == "object")
      #expect(schema["result"]?["minimum"] as? Int == -128)
      let fail = try #require(functions.first { $0["name"] as? String == "fail" })
      #expect(fail["result"] as? String == "void" && fail["fails"] as? Bool == true)
    }

    @Test func writesAReferencePage() throws {
      let ending = try HostProcess.run("doc", "needy")
      #expect(ending.errors == "" && ending.status == 0)
      #expect(ending.text.hasPrefix("# org.example.needy 1.2.3\n\nCalls another plugin.\n"))
      #expect(ending.text.contains("\n## ask\n"))
      let file = TemporaryPath()
      #expect(try HostProcess.run("doc", "--output", file.path, "needy").text == "")
      #expect(try Data(contentsOf: file.url) == ending.output)
    }

    @Test func listsFoldersAndFiles() throws {
      let ending = try HostProcess.run("list", FixturePlugins.path("needy"), FixturePlugins.path("refusing"))
      #expect(ending.errors == "")
      #expect(
        ending.text == """
          org.example.needy     1.2.3  1 function    Calls another plugin.
          org.example.refusing  1.2.3  1 function    Refuses to be loaded.

          """)
      #expect(ending.status == 0)
    }

    @Test func listsTheRestWhereAFileIsNotAPlugin() throws {
      let ending = try HostProcess.run("list", "--json", FixturePlugins.folder.path)
      let plugins = try #require(try JSONSerialization.jsonObject(with: ending.output) as? [[String: Any]])
      #expect(
        plugins.compactMap { $0["id"] as? String } == [
          "org.example.calling", "org.example.central", "org.example.files", "org.example.flooding",
          "org.example.forking", "org.example.ignoring", "org.example.kinds", "org.example.later",
          "org.example.linking", "org.example.lonely", "org.example.mortal", "org.example.needy",
          "org.example.parting", "org.example.placed", "org.example.reader", "org.example.recursing",
          "org.example.refusing", "org.example.relay", "org.example.replacing", "org.example.shifting",
          "org.example.unsettling",
        ])
      #expect(ending.errors.contains("noplugin.so"))
      #expect(ending.errors.split(separator: "\n").count == 1)
      #expect(ending.status == 2)
      let same = try HostProcess.run("list", "--json")
      #expect(same.output == ending.output && same.status == 2)
    }

    @Test func namesPluginsThatCannotBeLoaded() throws {
      for arguments in [
        ["inspect", "nothing"], ["inspect", "./nothing"], ["list", "/nothing"], ["inspect", "noplugin"],
      ] {
        let ending = try HostProcess.run(arguments)
        #expect(ending.status == 2)
        #expect(ending.errors.hasPrefix("plugin-host: "))
        #expect(ending.errors.contains("nothing") || ending.errors.contains("noplugin"))
        #expect(ending.text == (arguments[0] == "list" ? "" : ""))
      }
    }

    @Test func listWithoutAnythingIsWrongUsage() throws {
      let ending = try HostProcess.run("list", environment: ["PROMISE_PLUGIN_PATH": ""])
      #expect(ending.status == 64)
      #expect(
        ending.errors
          == "plugin-host: name a plugin or a folder, or give --plugins or PROMISE_PLUGIN_PATH\n")
    }

    @Test func theFunctionsThatRunWhenALibraryIsLoadedAreCounted() throws {
      let folder = try TemporaryFolder()
      let constructor = "__attribute__((constructor)) static void"
      try folder.write("void a(void) {} \(constructor) b(void) {} \(constructor) c(void) {}\n", to: "i.c")
      for (flags, count) in [([], 2), (["-Wl,-init=a"], 3)] as [([String], Int)] {
        let build = ["-shared", "-fPIC", "-nostartfiles", folder.path("i.c"), "-o", folder.path("i.so")]
        try Package.run("cc", build + flags)
        let ending = try HostProcess.run("inspect", "--elf", "--json", folder.path("i.so"))
        let facts = try JSONSerialization.jsonObject(with: ending.output) as? [String: Any]
        #expect(facts?["initialisers"] as? Int == count, "\(ending)")
      }
    }

    @Test func theHashesOfALibraryAndOfThoseThatItNeedsAreShown() throws {
      let folder = try TemporaryFolder()
      try folder.write("int a(void) { return 1; }\n", to: "a.c")
      let (needed, library) = (folder.path("needed.so"), folder.path("library.so"))
      try Package.run("cc", ["-shared", "-fPIC", folder.path("a.c"), "-o", needed])
      try Package.run(
        "cc",
        ["-shared", "-fPIC", "-x", "c", "/dev/null", "-x", "none", "-Wl,--no-as-needed", needed, "-o", library])
      let sums = try [library, needed].map { try ContentHash(path: $0).description }
      let text = try HostProcess.run("inspect", "--elf", library).text
      for (path, sum) in zip([library, needed], sums) { #expect(text.contains("sha256        \(sum)  \(path)\n")) }
      let ending = try HostProcess.run("inspect", "--elf", "--json", library)
      let facts = try JSONSerialization.jsonObject(with: ending.output) as? [String: Any]
      let files = (facts?["files"] as? [[String: String]] ?? []).filter { [library, needed].contains($0["path"]) }
      #expect(files.map { $0["sha256"] } == sums)
      // Not a file that is loaded.
      try FileManager.default.removeItem(atPath: needed)
      try #require(mkfifo(needed, 0o600) == 0)
      let fifo = try HostProcess.run("inspect", "--elf", library)
      #expect(fifo.status == 0 && fifo.text.contains("sha256        not read  \(needed)\n"), "\(fifo)")
    }
  }
}
