import Foundation
import Testing

extension EndToEnd {
  /// Steps of `finally`, which run in any case, and values of secrets, which nobody may see.
  @Suite struct PipelineEndTests {
    private func run(
      _ text: String, _ options: String..., environment: [String: String] = [:]
    ) throws -> HostProcess.Ending {
      let file = try PipelineFile("plugins: [kinds, later]\n\(text)\n")
      try Data("from a file\n".utf8).write(to: file.folder.appending(path: "key"))
      return try HostProcess.run(["run"] + options + [file.path], environment: environment)
    }

    @Test func finalStepsRunAfterAllOthers() throws {
      let ending = try run(
        """
        steps:
          good: {call: kinds.text, with: {x: value}}
          bad: {call: kinds.fail, with: {message: broken}, after: good}
          next: {call: kinds.nothing, after: bad}
        finally:
          close: {call: kinds.text, with: {x: "closed ${steps.good}"}}
          report: {call: kinds.text, after: close}
          unusable: {call: kinds.nothing, after: bad}
          rescued: {call: kinds.tiny, after: bad, rescue: {value: 5}}
        """)
      let lines = ending.errors.withoutTimes.split(separator: "\n").map(String.init)
      let closed = try #require(lines.firstIndex(of: "close: fulfilled in 0 s: \"closed value\""))
      #expect(try #require(lines.firstIndex(of: "next: not run: \"bad\" was not fulfilled")) < closed)
      #expect(lines.contains("report: fulfilled in 0 s: \"none\""))
      #expect(lines.contains("unusable: not run: \"bad\" was not fulfilled"))
      #expect(lines.contains("rescued: fulfilled: 5"))
      #expect(lines.last == "plugin-host: bad: broken (fixture 7)")
      #expect(ending.status == 1)
    }

    @Test func theResultIsThatOfTheLastOrdinaryStep() throws {
      let text = "steps: {a: {call: kinds.tiny}}\nfinally: {b: {call: kinds.text}}"
      #expect(try run(text).text == "-3\n")
      #expect(try run(text + "\nresult: [a, b]").text == #"{"a":-3,"b":"none"}"# + "\n")
      #expect(try run(text, "--dry-run").text.contains("finally, b: kinds.text()\n"))
      let failing = try run("steps: {a: {call: kinds.tiny}}\nfinally: {b: {call: kinds.fail, with: {message: x}}}")
      #expect(failing.errors.hasSuffix("plugin-host: b: x (fixture 7)\n"))
      #expect(failing.text == "")
      let early = try run("steps: {a: {call: kinds.tiny, after: b}}\nfinally: {b: {call: kinds.tiny}}")
      #expect(early.errors.contains("error: the step \"b\" of \"finally\" runs after all others"))
    }

    /// The function returns within the time that a call has which was not given up.
    @Test func theEndDoesNotWaitForACallThatWasGivenUp() throws {
      let file = try PipelineFile(
        """
        plugins: [./libc.yaml]
        steps:
          a: {call: libc.sleep, with: {seconds: 4}, timeout: 0.1, rescue: {value: 7}}
        """)
      let library = "{library: libc.so.6, functions: ['sleep(seconds: u32) -> u32']}"
      try library.write(to: file.folder.appending(path: "libc.yaml"), atomically: true, encoding: .utf8)
      let ending = try HostProcess.run("run", "--isolation", "in-process", file.path)
      #expect(ending.status == 0 && ending.text == "7\n", "\(ending)")
      #expect(ending.errors.contains("libc: warning: a function has not returned; not unloaded"), "\(ending)")
    }

    @Test func finalStepsRunAfterATimeout() throws {
      let ending = try run(
        "steps: {a: {call: later.never}}\nfinally: {b: {call: kinds.text}}", "--timeout", "0.2", "--log", "off")
      #expect(ending.errors.contains("b: fulfilled in "))
      #expect(ending.errors.hasSuffix("plugin-host: a: timed out after 0.2 s\n"))
      #expect(ending.status == 3)
    }

    @Test("the time limit of the pipeline does not end a final step that waits for another attempt")
    func finalStepsAreRetriedAfterATimeout() throws {
      let ending = try run(
        """
        steps: {a: {call: kinds.tiny}}
        finally: {b: {call: later.unsteady, with: {times: 1}, retry: {times: 1, delay: 3}}}
        """, "--timeout", "2")
      #expect(ending.errors.contains("b: attempt 2 of 2 in 3 s: not yet (fixture 11)\n"), "\(ending)")
      #expect(ending.errors.contains("b: fulfilled in ") && !ending.errors.contains("timed out"), "\(ending)")
    }

    @Test("a step that is given up with its pipeline has no substitute")
    func aTimeoutOfThePipelineIsNotRescued() throws {
      for rescue in ["{value: ~}", "{call: kinds.nothing}"] {
        let ending = try run(
          "steps: {a: {call: later.never, rescue: \(rescue)}}", "--timeout", "0.2", "--log", "off")
        #expect(ending.errors.hasSuffix("plugin-host: a: timed out after 0.2 s\n"), "\(ending)")
        #expect(ending.status == 3 && ending.text == "", "\(ending)")
      }
    }

    /// The signal arrives while many steps start.
    @Test(arguments: [0, 2000]) func finalStepsRunAfterAnInterrupt(others: Int) throws {
      let steps = (0..<others).map { "\n  s\($0): {call: later.never}" }.joined()
      let file = try PipelineFile(
        """
        plugins: [kinds, later]
        set: {file: ~}
        steps:
          a: {call: kinds.start, with: {command: "kill -TERM $PPID"}}
          b: {call: later.never}\(steps)
        finally:
          c: {call: kinds.start, with: {command: "echo done > '${file}'"}}
        """)
      let path = file.folder.appending(path: "done").path
      let ending = try HostProcess.run(
        ["run", "--isolation", "in-process", "--log", "off", "--set", "file=\(path)", file.path])
      #expect(ending.signal == SIGTERM)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "done\n")
      #expect(ending.errors.contains("b: interrupted\n"))
    }

    @Test("a second signal, while the final steps run, ends the command at once: nothing is unloaded")
    func aSecondSignalEndsTheFinalSteps() throws {
      let file = try PipelineFile(
        """
        plugins: [kinds, later, parting]
        steps:
          a: {call: kinds.start, with: {command: "kill -TERM $PPID"}}
          b: {call: later.never}
        finally:
          c: {call: kinds.start, with: {command: "exec > /dev/null 2>&1; kill -TERM $PPID; sleep 30"}}
        """)
      let ending = try HostProcess.run("run", "--isolation", "in-process", file.path)
      #expect(ending.signal == SIGTERM && ending.errors.contains("b: interrupted\n"))
      #expect(!ending.errors.contains("unload"), "\(ending.errors)")
    }

    @Test(
      "a signal of another kind, while the final steps run, ends neither them nor the end of the plugins",
      arguments: [
        (first: "kill -TERM $PPID", final: "kill -HUP $PPID"),
        (first: "kill -TERM $PPID; kill -HUP $PPID", final: "true"),
      ])
    func anotherSignalDoesNotEndTheFinalSteps(_ commands: (first: String, final: String)) throws {
      let file = try PipelineFile(
        """
        plugins: [kinds, later, parting]
        set: {file: ~}
        steps:
          a: {call: kinds.start, with: {command: "\(commands.first)"}}
          b: {call: later.never}
        finally:
          c: {call: kinds.start, with: {command: "\(commands.final)"}}
          d: {call: kinds.start, with: {command: "echo done > '${file}'"}, after: c}
        """)
      let path = file.folder.appending(path: "done").path
      // The tests may run under nohup.
      let host = try HostProcess(
        [
          "--default-signal=HUP", HostProcess.executable.path, "run", "--isolation", "in-process", "--set",
          "file=\(path)", file.path,
        ])
      host.process.executableURL = URL(filePath: "/usr/bin/env")
      try host.process.run()
      let ending = try host.wait()
      // Of two signals that are sent at once, either may arrive first.
      let signals = commands.first.contains("HUP") ? [SIGTERM, SIGHUP] : [SIGTERM]
      #expect(ending.signal.map(signals.contains) == true && ending.errors.contains("unload"), "\(ending)")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "done\n")
    }

    private let secrets = """
      secrets: {token: {env: TOKEN}, key: {file: key}}
      set: {header: "Bearer ${token}"}

      """

    @Test func secretsAreArguments() throws {
      let text =
        secrets
        + "steps: {a: {call: kinds.tiny, with: {x: \"5\"}, when: token == \"s3cret\" and key == \"from a file\"}}"
      #expect(try run(text, environment: ["TOKEN": "s3cret"]).text == "5\n")
      #expect(try run(text, environment: ["TOKEN": "other"]).text == "null\n")
      let unset = try run(text)
      #expect(
        unset.errors
          == "plugin-host: the secret \"token\" has no value: the environment variable TOKEN is not set or empty\n")
      #expect(unset.status == 64)
    }

    @Test(arguments: ["s3cret", "with \"quotes\" \\ and\ttab", "two\nlines"])
    func secretsAreNotPrinted(secret: String) throws {
      let text =
        secrets + """
          steps:
            echo: {call: kinds.text, with: {x: "${header} and ${key}"}}
            list: {call: kinds.anything, with: {x: {a: ["${token}"], b: {step: bytes}}}}
            bytes: {call: kinds.blob, with: {x: "${token}"}}
            log: {call: kinds.say, with: {level: 3, message: "log ${token}"}}
            bad: {call: kinds.fail, with: {message: "bad ${header}"}, after: log}
            long: {call: kinds.fail, with: {message: "\(String(repeating: "x", count: 60))${token}"}, rescue: {value: ~}}
          result: echo
          """
      for options in [[], ["--progress", "plain", "--log", "debug"], ["--dry-run"], ["--graph", "dot"]] {
        let file = try PipelineFile("plugins: [kinds]\n" + text)
        try Data("from a file\n".utf8).write(to: file.folder.appending(path: "key"))
        let ending = try HostProcess.run(["run"] + options + [file.path], environment: ["TOKEN": secret])
        for printed in [ending.text, ending.errors] {
          #expect(
            !printed.contains(secret) && !printed.contains("s3c") && !printed.contains("from a file"), "\(printed)")
          #expect(!printed.contains(Data(secret.utf8).base64EncodedString()), "\(printed)")
        }
        if options.isEmpty {
          #expect(ending.errors.contains("bad Bearer ***"))
        } else {
          #expect(ending.errors + ending.text != "")
        }
      }
    }

    @Test func aMessageDoesNotQuoteAPartOfASecret() throws {
      let secret = String(repeating: "s3cret", count: 20)
      let numbers = [
        "{call: kinds.tiny, with: {x: \"${steps.a}\"}}", "{call: kinds.tiny, with: {x: \"1${steps.a}\"}}",
        "{call: kinds.tiny, with: {x: \"${token}\"}}",
      ]
      for number in numbers {
        let ending = try run(
          secrets + "steps: {a: {call: kinds.text, with: {x: \"${token}\"}}, b: \(number)}",
          environment: ["TOKEN": secret])
        #expect(ending.errors.contains("a secret in it, expected an integer from -128 to 127"), "\(ending.errors)")
        #expect(!ending.errors.contains("s3cret"))
        #expect(ending.text == "")
      }
    }

    @Test func aResultWithASecretIsWrittenToAFileOnly() throws {
      let text = secrets + "steps: {a: {call: kinds.text, with: {x: \"${header}\"}, pure: true}}"
      let file = TemporaryPath()
      let environment = ["TOKEN": "s3cret", "XDG_CACHE_HOME": file.path + ".cache"]
      defer { try? FileManager.default.removeItem(atPath: file.path + ".cache") }
      for (format, content) in [
        ("json", "\"Bearer s3cret\"\n"), ("raw", "Bearer s3cret"), ("table", "Bearer s3cret\n"),
      ] {
        let printed = try run(text, "--format", format, environment: environment)
        #expect(printed.text == "")
        #expect(
          printed.errors.contains("a secret is in the result, and secrets are not printed; write it to a file with"))
        #expect(printed.status == 1)
        _ = try run(text, "--format", format, "-o", file.path, environment: environment)
        #expect(try String(contentsOf: file.url, encoding: .utf8) == content)
      }
      // Neither a descriptor nor a pipe is a file.
      let pipe = file.path + ".pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      defer { unlink(pipe) }
      for path in ["/dev/stderr", "/dev/fd/2", pipe] {
        let printed = try run(text, "-o", path, environment: environment)
        #expect(printed.status == 1 && !printed.errors.contains("s3cret"), "\(printed)")
      }
      let store = try Data(contentsOf: URL(filePath: file.path + ".cache/plugin-host/results.db"))
      #expect(store.range(of: Data("s3cret".utf8)) == nil)
    }

    @Test(arguments: ["s3ct", "s3cret and more"], ["blob", "anything"])
    func bytesWithASecretAreNotPrinted(secret: String, function: String) throws {
      let text =
        secrets + """
          steps:
            a: {call: kinds.blob, with: {x: "x${token}y"}, pure: true}
            b: {call: kinds.\(function), with: {x: {step: a}}, pure: true}
            list: {call: kinds.anything, with: {x: [{step: a}]}, pure: true}
          result: b
          """
      let cache = TemporaryPath()
      let environment = ["TOKEN": secret, "XDG_CACHE_HOME": cache.path]
      let encoded = Data("x\(secret)y".utf8).base64EncodedString()
      for format in ["json", "raw", "table"] {
        let ending = try run(text, "--format", format, "--progress", "plain", environment: environment)
        #expect(ending.text == "" && ending.status == 1, "\(ending.text)")
        #expect(ending.errors.contains("a secret is in the result, and secrets are not printed"), "\(ending.errors)")
        #expect(!ending.errors.contains(encoded.dropFirst(2).prefix(4)), "\(ending.errors)")
      }
      let listed = try HostProcess.run("cache", "list", environment: environment)
      #expect(!listed.text.contains("kinds"), "\(listed.text)")
    }

    private static let parts = #"{"user":"jo","password":"hunter2","pin":123456,"all":["{\"deep\":1}",{"b":"seven7"}]}"#

    @Test(arguments: ["password", "pin", "all[1].b", "all", "all[1]"])
    func theMembersOfASecretAreSecretsToo(part: String) throws {
      let text = secrets + "steps: {a: {call: kinds.text, with: {x: \"${token}\"}}}\nresult: {step: a, get: '\(part)'}"
      let ending = try run(text, environment: ["TOKEN": Self.parts])
      #expect(ending.text == "" && ending.status == 1, "\(ending.text)")
      #expect(ending.errors.contains("a secret is in the result, and secrets are not printed"), "\(ending.errors)")
    }

    @Test func theMembersOfASecretAreNeitherInMessagesNorInTheCache() throws {
      let cache = TemporaryPath()
      let text =
        secrets + """
          steps:
            a: {call: kinds.text, with: {x: "${token}"}}
            b: {call: kinds.text, with: {x: "${steps.a.password}"}, pure: true}
            c: {call: kinds.whole, with: {x: "${steps.a.pin}"}, pure: true}
            d: {call: kinds.text, with: {x: plain}, pure: true}
            e: {call: kinds.tiny, with: {x: "${steps.b}"}, rescue: {value: 1}}
            f: {call: kinds.fail, with: {message: "bad ${steps.b} ${steps.c}"}, after: [d, e]}
          """
      let ending = try run(text, environment: ["TOKEN": Self.parts, "XDG_CACHE_HOME": cache.path])
      #expect(ending.errors.contains("bad *** ***"), "\(ending.errors)")
      #expect(!ending.errors.contains("hunter2") && !ending.errors.contains("123456"), "\(ending.errors)")
      let listed = try HostProcess(["cache", "list"], environment: ["XDG_CACHE_HOME": cache.path])
      try listed.process.run()
      let list = try listed.wait().text
      #expect(list.contains("kinds.text") && !list.contains("kinds.whole"), "\(list)")
      #expect(list.split(separator: "\n").count { $0.contains("kinds.text") } == 1, "\(list)")
    }

    @Test(arguments: [("1", "1 character:"), ("abc", "3 characters:"), ("äöü", "3 characters:")])
    func aShortSecretIsRefused(secret: String, length: String) throws {
      let ending = try run(secrets + "steps: {a: {call: kinds.tiny}}", environment: ["TOKEN": secret])
      #expect(
        ending.errors
          == "plugin-host: the secret \"token\" has \(length) one of fewer than 4 cannot be distinguished from other "
          + "text\n")
      #expect(ending.status == 64 && ending.text == "")
    }

    @Test(arguments: [
      ("secrets: {a: {}}", "p.yaml:2:14: error: the secret \"a\" needs \"env\" or \"file\", and not both"),
      ("secrets: {a: {env: HOME}}\nset: {a: 1}", "error: a variable and a secret named \"a\""),
      ("secrets: {a: {file: /no/file}}", "plugin-host: the secret \"a\": /no/file: No such file or directory"),
    ])
    func mistakesAreReported(text: String, message: String) throws {
      let ending = try run(text + "\nsteps: {s: {call: kinds.tiny}}", environment: ["HOME": "/home"])
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.status == 64)
    }
  }
}
