import Foundation
import Testing

extension EndToEnd {
  /// Completions: `plugin-host complete`, and the file for bash.
  @Suite struct CompletionTests {
    private func complete(_ words: String...) throws -> [String] {
      let ending = try HostProcess.run(["complete", "--"] + words)
      #expect(ending.errors == "")
      return ending.text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }

    @Test func commandsAndOptions() throws {
      #expect(try complete("ca") == ["call", "cache"])
      #expect(try complete("inspect", "--j") == ["--json"])
      #expect(try complete("cache", "p") == ["prune"])
      #expect(try complete("call", "--form").contains("--format"))
      #expect(!(try complete("co").contains("complete")))
      #expect(try complete("cache", "prune", "--o") == ["--older-than"])
      #expect(try complete("cache", "prune", "--all", "--older-than", "3") == [])
    }

    @Test func valuesOfOptionsAndOperands() throws {
      #expect(try complete("call", "--isolation", "") == ["in-process", "thread", "process"])
      #expect(try complete("run", "--isolation=pro") == ["--isolation=process"])
      #expect(try complete("new", "--language", "r") == ["rust"])
      #expect(try complete("trust", "policy", "") == ["any", "listed", "signed"])
      #expect(try complete("trust", "policy", "any", "") == [])
      let call = ["complete", "--", "call", "--plugins", FixturePlugins.folder.path, "kinds"]
      let members = try HostProcess.run(call + ["split", "0.2", "--get", ""]).text
      #expect(members == "half\tf32\nthird\tf64\nresult\ti32\n")
      #expect(try HostProcess.run(call + ["--get", ""]).text == "")
    }

    @Test("a combining mark after a sign does not hide the sign")
    func marks() throws {
      let call = ["complete", "--", "call", "--plugins", Package.adopted]
      #expect(try HostProcess.run(call + ["libm", "pow", "x=\u{301}", ""]).text == "y=\tf64\n")
      #expect(try HostProcess.run(call + ["/\u{301}"]).text == "")
      let options = try HostProcess.run(call + ["--plugins=\u{301}none", "libm", "po"])
      #expect(options.text.hasPrefix("pow"), "\(options)")
    }

    @Test func pluginsFunctionsAndParameters() throws {
      let options = ["call", "--plugins", Package.adopted]
      func candidates(_ words: String...) throws -> [String] {
        return try HostProcess.run(["complete", "--"] + options + words).text.split(separator: "\n").map {
          String($0.prefix { $0 != "\t" })
        }
      }
      #expect(Set(try candidates("lib")).isSuperset(of: ["libc", "libcurl", "libm"]))
      #expect(try candidates("libm", "po") == ["pow"])
      #expect(try candidates("libm", "pow", "") == ["x=", "y="])
      #expect(try candidates("libm", "pow", "2", "") == ["y="])
      #expect(try candidates("libm", "pow", "y=3", "") == ["x="])
      #expect(try candidates("libm", "none", "") == [])
      #expect(try candidates("none", "") == [])
      #expect(try candidates("--", "li") == [])
      let check = ["check", "--plugins", Package.adopted]
      func candidatesOfCheck(_ words: String...) throws -> [String] {
        try HostProcess.run(["complete", "--"] + check + words).text.split(separator: "\n").map {
          String($0.prefix { $0 != "\t" })
        }
      }
      #expect(try candidatesOfCheck("libm") == ["libm"])
      #expect(try candidatesOfCheck("libm", "lib") == [])
      #expect(try candidatesOfCheck("libm", "--skip", "po") == ["pow"])
    }

    @Test func valuesWithNames() throws {
      let folder = try TemporaryFolder()
      let file = folder.path("c.adopt.yaml")
      let text =
        "{library: libc.so.6, functions: ['abs(n: i32 enum {LOW = 1, HIGH = 2})', "
        + "'toupper(c: i32 flags {READ = 1, WRITE = 2}, on: bool)']}"
      try Data(text.utf8).write(to: URL(filePath: file))
      #expect(try complete("call", file, "abs", "H") == ["HIGH"])
      #expect(try complete("call", file, "abs", "n=") == ["n=LOW", "n=HIGH"])
      #expect(try complete("call", file, "toupper", "c=READ|W") == ["c=READ|WRITE"])
      #expect(try complete("call", file, "toupper", "c=READ|WRITE|R") == ["c=READ|WRITE|READ"])
      #expect(try complete("call", file, "toupper", "READ", "on=t") == ["on=true"])
    }

    @Test("a name with a line break or a tab, which would be several candidates, is left out")
    func controls() throws {
      let folder = try TemporaryFolder()
      for name in ["a b", "a\tb", "a\nb"] { try folder.write("", to: "\(name).so") }
      #expect(try complete("call", "--plugins", folder.url.path, "a") == ["a b"])
    }

    @Test func bashTakesThem() throws {
      let script = """
        source "$1"
        COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=($2) COMP_CWORD=1
        _plugin_host
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      func reply(_ line: String) throws -> [Substring] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let file = Package.root.appending(path: "completions/plugin-host.bash").path
        process.arguments = ["bash", "-c", script, "bash", file, line]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      }
      let host = HostProcess.executable.path
      #expect(try reply("\(host) insp") == ["inspect"])
      #expect(try reply("\(host) call --plugins \(Package.adopted) libm pow ") == ["x=", "y="])
      #expect(try reply("\(host) call --plugins \(Package.adopted) libm po") == ["pow"])
      // Quotes and backslashes in the words before, and an open quote at the cursor.
      #expect(try reply("\(host) call --plugins '\(Package.adopted)' \"libm\" po") == ["pow"])
      let spaced = "\(host) call --plugins \"\(Package.adopted)/a b\" --plugins \(Package.adopted)"
      #expect(try reply("\(spaced) libm 'po") == ["pow"])
      #expect(try reply("\(host) call --plugins /a\\ b --plugins \(Package.adopted) lib\\m pow x='2 3' ") == ["y="])
      #expect(try reply("\(host) inspect --isolation='pro") == [])
      #expect(try reply("\(host) run --isolation=pro") == ["process"])
      #expect(try reply("\(host) run '--isolation=pro") == ["--isolation=process"])
      // A name is written so that the shell takes it for one word, and runs no part of it.
      let folder = try TemporaryFolder()
      for name in ["my plugin", "$(id)", "it's"] { try folder.write("", to: "\(name).so") }
      let named = "\(host) call --plugins \(folder.url.path)"
      #expect(try reply("\(named) my") == ["my\\ plugin"])
      #expect(try reply("\(named) \\$") == ["\\$\\(id\\)"])
      #expect(try reply("\(named) \"") == ["\\$(id)", "it's", "my plugin"])
      #expect(try reply("\(named) 'it") == ["it'\\''s"])
    }
  }
}
