import Testing

extension EndToEnd {
  /// The commands of a session, and their mistakes.
  @Suite struct ShellCommandTests {
    @Test(arguments: [
      ("n = kinds.tiny 5\ndrop n\n$n", "stdin:3: there is no variable \"n\""),
      ("drop", "stdin:1: usage: drop NAME..."), ("drop x", "stdin:1: there is no variable \"x\""),
      ("exit 1", "stdin:1: exit takes no arguments"), ("quit 1", "stdin:1: quit takes no arguments"),
      ("use", "stdin:1: usage: use PLUGIN [as NAME]"), ("use kinds for k", "stdin:1: usage: use PLUGIN [as NAME]"),
      ("plugins x", "stdin:1: plugins takes no arguments"), ("variables x", "stdin:1: variables takes no arguments"),
      ("help kinds x", "stdin:1: usage: help [PLUGIN[.FUNCTION]]"), ("help kinds.nosuch", "has no function \"nosuch\""),
      ("n = kinds.tiny 5\n$n x", "stdin:2: nothing can follow a variable that is shown"),
      ("a'b'", "stdin:1: a line begins with PLUGIN.FUNCTION, a command, or a variable"),
    ])
    func aMistakeEndsTheScript(script: String, message: String) throws {
      let ending = try HostProcess.run("shell", input: script + "\nkinds.tiny\n")
      #expect(ending.status == 64)
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.text == "")
    }

    @Test func aLongWordTakesTimeInProportion() throws {
      // Appending letter by letter would take quadratic time.
      let word = String(repeating: "x", count: 1_000_000)
      for script in [word, "kinds.tiny \(word)", "kinds.tiny \"\(word)\""] {
        let ending = try HostProcess.run("shell", input: script + "\n")
        #expect(ending.status == 64)
        #expect(ending.errors.hasPrefix("plugin-host: stdin:1: "))
      }
    }

    @Test func textInQuotesKeepsItsBackslashes() throws {
      let script = #"kinds.chatter "a\\b\qc\"d\$e\n""# + "\n" + #"kinds.chatter a'b'"c"\ d"# + "\n"
      let ending = try HostProcess.run("shell", input: script)
      #expect(ending.status == 0)
      let lines = ["a\\b\\qc\"d$e", "", "abc d"].map { "org.example.kinds: \($0)\n" }
      #expect(ending.errors == lines.joined(), "\(ending.errors)")
    }
  }
}
