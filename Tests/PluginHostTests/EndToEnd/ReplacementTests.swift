import Testing

extension EndToEnd {
  /// Plugin code that replaces the program of the process, or ends the process by another way than exit(), is reported.
  @Suite struct ReplacementTests {
    private static let id = "org.example.replacing"
    private static let programs = [
      "execve", "execv", "execvpe", "execvp", "execl", "execlp", "execle", "fexecve", "execveat",
    ]

    @Test(arguments: programs + ["daemon"])
    func theHostIsNotReplaced(by function: String) throws {
      let ending = try HostProcess.run("call", "--isolation", "in-process", "replacing", "run", function)
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      #expect(ending.errors == "plugin-host: \(Self.id).run: called \(function)() in this call: the process ends\n")
    }

    @Test(arguments: ["execl", "daemon", "quick_exit", "_exit"])
    func norByAThreadOfThePlugin(by function: String) throws {
      let ending = try HostProcess.run("call", "--isolation", "in-process", "replacing", "run_beside", function)
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      #expect(
        ending.errors
          == "plugin-host: code of a plugin called \(function)(), outside of its functions: the process ends\n")
    }

    @Test func norWhileAPluginIsLoaded() throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "in-process", "replacing", "run", "execv", environment: ["REPLACE_IN": "load"])
      #expect(ending.status == 2 && ending.text == "", "\(ending)")
      #expect(ending.errors.contains("called execv() in load(): the process ends"), "\(ending)")
    }

    @Test(arguments: ["destructor", "atexit"])
    func norWhileItExits(place: String) throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "in-process", "replacing", "child", "execv", environment: ["REPLACE_IN": place])
      #expect(ending.status == 1 && ending.text == "7\n", "\(ending)")
      #expect(
        ending.errors
          == "plugin-host: code of a plugin called execv(), in a destructor or an exit handler: the process ends\n")
    }

    @Test(arguments: [
      ("execvp(file: cstr, argv: &[cstr; 0]) -> i32", ["/bin/true", #"["a"]"#]), ("_exit(status: i32)", ["0"]),
      ("quick_exit(status: i32)", ["0"]), ("daemon(keeps_folder: i32, keeps_streams: i32) -> i32", ["1", "1"]),
    ])
    func norByTheCLibrarysOwnFunction(_ signature: String, arguments: [String]) throws {
      let ending = try HostProcess.run(
        ["call", "--isolation", "in-process", "--signature", signature, "libc.so.6"] + arguments)
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      #expect(ending.errors.contains("in this call: the process ends"), "\(ending)")
    }

    @Test func aPipelineFailsWithTheStep() throws {
      let file = try PipelineFile(
        "plugins: [replacing]\nsteps: {a: {call: replacing.run, with: {how: execv}}, b: {call: replacing.sharing_child, after: a}}"
      )
      let ending = try HostProcess.run("run", "--isolation", "in-process", file.path)
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      #expect(ending.errors.contains("called execv() in this call: the process ends"), "\(ending)")
    }

    @Test func aWorkerThatIsReplacedIsARejection() throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "process", "--allow", "processes", "replacing", "run", "execv")
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      #expect(ending.errors.contains("replacing.run: its worker process"), "\(ending)")
      let refused = try HostProcess.run("call", "--isolation", "process", "replacing", "run", "execv")
      #expect(refused.status == 1 && refused.errors.contains("was refused 'processes (execve)'"), "\(refused)")
      #expect(refused.errors.contains("called execv() in this call: the process ends, unless that is refused"))
    }

    @Test(arguments: programs)
    func aChildMayRunAnotherProgram(by function: String) throws {
      let ending = try HostProcess.run("call", "--isolation", "in-process", "replacing", "child", function)
      #expect(ending.status == 0 && ending.text == "7\n" && ending.errors == "", "\(ending)")
    }

    @Test("a child of a plugin may become a daemon")
    func aChildMayBecomeADaemon() throws {
      let ending = try HostProcess.run("call", "--isolation", "in-process", "replacing", "child", "daemon")
      // The C library ends the child with the status 0.
      #expect(ending.status == 0 && ending.text == "0\n" && ending.errors == "", "\(ending)")
    }

    @Test("a child of a plugin ends as the C library does: quick_exit() runs the handlers of at_quick_exit()")
    func aChildMayEndQuickly() throws {
      let ending = try HostProcess.run("call", "replacing", "child", "quick_exit")
      #expect(ending.status == 0 && ending.text == "7\n" && ending.errors == "", "\(ending)")
    }

    @Test func aChildThatSharesMemoryMayToo() throws {
      let ending = try HostProcess.run("call", "--isolation", "in-process", "replacing", "sharing_child")
      #expect(ending.status == 0 && ending.text == "7\n" && ending.errors == "", "\(ending)")
    }
  }
}
