import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite struct ShellTests {
    private func run(_ script: String) throws -> HostProcess.Ending {
      try HostProcess.run("shell", "--plugins", Package.adopted, input: script)
    }

    @Test func aByteOrderMarkMayBeginAScript() throws {
      #expect(try run("\u{FEFF}kinds.tiny 1\nkinds.tiny 2\n").text == "1\n2\n")
      let later = try run("kinds.tiny 1\n\u{FEFF}kinds.tiny 2\n")
      #expect(later.text == "1\n" && later.status != 0)
    }

    @Test("a line that has no end is refused, at the limit")
    func endlessLines() throws {
      let limit = 16 << 20
      let line = "kinds.tiny 1 #"
      let longest = line + String(repeating: "-", count: limit - line.utf8.count)
      #expect(try run("\(longest)\nkinds.tiny 2\n").text == "1\n2\n")
      let host = try HostProcess(["shell", "--plugins", Package.adopted])
      host.process.standardInput = try FileHandle(forReadingFrom: URL(filePath: "/dev/zero"))
      try host.process.run()
      let ending = try host.wait()
      #expect(
        ending.errors == "plugin-host: stdin:1: the line is longer than the limit of 16 MiB: "
          + "pass a long text as a file, NAME=@FILE\n")
      #expect(ending.status == 64)
    }

    @Test(
      "an object that no variable holds is destroyed before the session ends", arguments: ["in-process", "process"])
    func objectsWithoutVariables(place: String) throws {
      // hold() waits until fewer objects are alive than its argument.
      let script = """
        later.hold 1
        a = later.hold 1
        later.hold 2
        drop a
        a = later.hold 1
        a = kinds.tiny 1
        later.hold 1
        """
      let ending = try HostProcess.run(
        "shell", "--plugins", Package.adopted, "--isolation", place, input: "\(script)\n")
      #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending.errors)")
    }

    @Test func arraysAndStructsHaveHandlesInThem() throws {
      let header = """
        typedef struct item item;
        item *item_new(int number);
        int item_sum(item *const *items, int count);
        """
      let source = """
        #include <stdlib.h>
        int *item_new(int number) { int *item = malloc(sizeof *item); *item = number; return item; }
        int item_sum(int **items, int count) { int sum = 0; while (count-- > 0) sum += *items[count]; return sum; }
        """
      let adopted = try AdoptedHeader.of(header, source: source)
      let text = try adopted.shell(
        "use LIB as l", "a = l.item_new 40", "b = l.item_new 2", "l.item_sum [$a,$b]",
        "l.item_sum items=\"[$b, $b]\"",
        "n = kinds.tiny 5", "kinds.anything [$n,7]")
      #expect(text == "42\n4\n[5,7]\n")
      let refused = try adopted.shell("use LIB as l", "a = l.item_new 40", "l.item_sum '['$a', 4]'")
      #expect(refused.contains("argument 'items[1]' is 4"), "\(refused)")
    }

    @Test("a misspelt name is refused as on the command line, also before variables and quotes")
    func misspeltNames() throws {
      for argument in ["mesage=$n", "mesage='5 6'", "mess-age=\"${n}\"", "mesage=5"] {
        let ending = try run("n = kinds.tiny 5\nkinds.fail \(argument)\n")
        #expect(ending.errors.contains("has no parameter \"mes"), "\(argument): \(ending.errors)")
        #expect(ending.errors.contains("; did you mean \"message\"?") && ending.status == 64, "\(ending.errors)")
      }
      let lines = "n = kinds.tiny 5\nkinds.text 'y='$n\nkinds.text -- y=$n\nkinds.text x=y=$n\nkinds.text a/y=$n\n"
      #expect(try run(lines).text == "\"y=5\"\n\"y=5\"\n\"y=5\"\n\"a/y=5\"\n")
    }

    @Test("an f32 within a text has its own digits, and passed alone it is the same number")
    func digits() throws {
      let ending = try run(
        """
        v = kinds.small 0.1
        m = kinds.mixed 0.1 0.1
        kinds.text "${v} and ${m.x}"
        kinds.text "$m"
        kinds.number $v
        variables

        """)
      #expect(
        ending.text == """
          "0.1 and 0.1"
          "{\\"x\\":0.1,\\"y\\":0.1}"
          0.10000000149011612
          m = {"x":0.1,"y":0.1}
          v = 0.1

          """, "\(ending)")
    }

    @Test func handlesLiveFromLineToLine() throws {
      let ending = try run(
        """
        # A database in memory.
        db = sqlite.sqlite3_open :memory:
        sqlite.sqlite3_exec $db 'create table t (n, s)'
        sqlite.sqlite3_exec db=$db sql="insert into t values (42, 'it''s')"

        st = sqlite.sqlite3_prepare_v2 $db 'select n, s from t'
        sqlite.sqlite3_step $st
        n = sqlite.sqlite3_column_int64 $st 0
        sqlite.sqlite3_column_text $st 1
        sqlite.sqlite3_mprintf "n is $n: %Q" x
        kinds.tiny x=$n
        $n
        drop n
        sqlite.sqlite3_finalize $st
        sqlite.sqlite3_close $db
        exit
        kinds.tiny
        """)
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(
        ending.text == """
          100
          "it's"
          "n is 42: 'x'"
          42
          42

          """)
      #expect(ending.errors == "")
    }

    @Test(arguments: [
      (
        "sqlite.sqlite3_close $db\nsqlite.sqlite3_changes $db", 64,
        "stdin:3: sqlite.sqlite3_changes: argument 'db' is a "
          + "sqlite3 that 'sqlite3_close' has released, expected one that is live"
      ),
      ("sqlite.sqlite3_step $db", 64, "stdin:2: sqlite.sqlite3_step: argument 'statement' is an address of a sqlite3"),
      ("sqlite.sqlite3_changes 0x1000", 64, "which has no form as text"),
      ("kinds.fail message=broken\nkinds.tiny", 1, "stdin:2: kinds.fail: broken"),
      ("sqlite.sqlite3_exec $db 'select 1 from no_table'", 1, "sqlite.sqlite3_exec: no such table: no_table"),
      ("nosuch.f", 2, "stdin:2: no plugin \"nosuch\""), ("kinds.tinny", 64, "did you mean \"tiny\"?"),
      ("kinds.tiny $bd", 64, "stdin:2: there is no variable \"bd\"; did you mean \"db\"?"),
      ("kinds.tiny 'a", 64, "stdin:2: column 12: \"'\" without its end"), ("halp", 64, "did you mean \"help\"?"),
      ("$db.x", 64, "$db: the result is an address"),
      ("kinds.tiny -", 64, "standard input has the lines of the session"),
      ("$db[", 64, "stdin:2: a line begins with PLUGIN.FUNCTION, a command, or a variable"),
      ("use kinds as 'a b'", 64, "stdin:2: \"a b\" cannot be a plugin's name"),
      ("use kinds as sqlite", 64, "stdin:2: \"sqlite\" is the plugin "),
      ("use kinds as k\nuse later as k", 64, "stdin:3: \"k\" is the plugin org.example.kinds: choose another name"),
      ("use kinds as later\nuse later", 64, "stdin:3: \"later\" is a name of org.example.kinds here"),
    ])
    func aScriptEndsAtItsFirstMistake(lines: String, status: Int32, message: String) throws {
      let ending = try run("db = sqlite.sqlite3_open :memory:\n\(lines)\nkinds.tiny\n")
      #expect(ending.status == status)
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.text == "")
    }

    @Test("words after -- are texts as they are, and variables")
    func verbatimWords() throws {
      let ending = try run("kinds.text -- @/etc/hostname\nkinds.text -- x=1\nkinds.text -- -x\nkinds.text -- -\n")
      #expect(ending.text == "\"@/etc/hostname\"\n\"x=1\"\n\"-x\"\n\"-\"\n", "\(ending.errors)")
      let variable = try run("n = kinds.tiny 7\nkinds.tiny -- $n\nkinds.text -- \"$n\"\n")
      #expect(variable.text == "7\n\"7\"\n", "\(variable.errors)")
    }

    @Test("the @ of a file stands outside quotes; its path may have quotes and variables")
    func files() throws {
      let folder = try TemporaryFolder()
      try folder.write("inside", to: "my file")
      let path = folder.path("my file")
      let start = "f = kinds.text x='\(path)'\nd = kinds.text x=\(folder.url.path)\n"
      for word in [
        "@'\(path)'", "x=@\"\(path)\"", "@$f", "x=@$f", "@${f}", "@\"$d/my file\"",
        "@" + path.replacing(" ", with: "\\ "),
      ] {
        let ending = try run("\(start)kinds.text \(word)\n")
        #expect(ending.text == "\"inside\"\n", "\(word): \(ending)")
      }
      let texts = try run("\(start)kinds.text \"@$f\"\nkinds.text '@a b'\nkinds.text \\@$f\nkinds.text -- @$f\n")
      #expect(texts.text == "\"@\(path)\"\n\"@a b\"\n\"@\(path)\"\n\"@\(path)\"\n", "\(texts)")
      let none = try run("kinds.text @'no such'\n")
      #expect(none.status == 64 && none.errors.contains("no such: No such file or directory"), "\(none)")
    }

    @Test("--timeout covers reading the file of an argument")
    func timeoutWhileAFIFOHasNoWriter() throws {
      let folder = try TemporaryFolder()
      let fifo = folder.path("fifo")
      #expect(mkfifo(fifo, 0o600) == 0)
      let ending = try HostProcess.run("shell", "--timeout", "0.2", input: "kinds.text @\(fifo)\n")
      #expect(ending.status == 3, "\(ending.errors)")
      #expect(ending.errors.contains("kinds.text: timed out after 0.2 s"), "\(ending.errors)")
    }

    @Test("an address beside a status is a member, and the error says how to write it")
    func membersOfAResult() throws {
      let adoption = try PipelineFile(
        """
        library: libsqlite3.so.0
        functions:
          - 'sqlite3_open(path: cstr, db: out own(sqlite3_close_v2) ptr<sqlite3>?) -> i32'
          - 'sqlite3_changes(db: ptr<sqlite3>) -> i32'
        """)
      let start = "use \(adoption.path) as s\ndb = s.sqlite3_open :memory:\n"
      let ending = try run(start + "s.sqlite3_changes $db\n")
      #expect(ending.status == 64)
      #expect(
        ending.errors == "plugin-host: stdin:3: $db has the members result, db, expected an address: write $db.db\n")
      #expect(try run(start + "s.sqlite3_changes $db.db\n").text == "0\n")
    }

    @Test(
      "a long word is not repeated whole",
      arguments: [("", "", 64), ("kinds.", "", 64), ("", ".f", 2)] as [(String, String, Int32)])
    func longWords(before: String, after: String, status: Int32) throws {
      let ending = try run(before + String(repeating: "y", count: 1 << 20) + after + "\n")
      #expect(ending.status == status)
      #expect(ending.errors.hasPrefix("plugin-host: stdin:1: ") && ending.errors.utf8.count < 1 << 14)
      #expect(ending.errors.contains("yyy…\""))
    }

    @Test func aFolderIsNotAScript() throws {
      let ending = try HostProcess.run("shell", "/tmp")
      #expect(ending.status == 64 && ending.errors == "plugin-host: /tmp: Is a directory\n", "\(ending.errors)")
      for command in ["shell", "run"] {
        let empty = try HostProcess.run(command, "")
        #expect(
          empty.status == 64 && empty.errors == "plugin-host: \"\": No such file or directory\n", "\(empty.errors)")
      }
    }

    @Test func commandsShowVariablesPluginsAndHelp() throws {
      let ending = try run("use kinds as k\nk.tiny\nx = k.tiny 5\nvariables\nplugins\nhelp k.tiny\nhelp\n")
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(ending.text.hasPrefix("-3\nx = 5\norg.example.kinds\ntiny("), "\(ending.text)")
      #expect(ending.text.contains("drop NAME..."))
    }

    @Test func pluginsRunWhereTheCommandLineSays() throws {
      let ending = try HostProcess.run("shell", "--isolation", "process", input: "mortal.echo 5\nmortal.crash\n")
      #expect(ending.status == 1)
      #expect(ending.text == "5\n")
      let end = "its worker process (version 1.2.3, generation 1) was killed by SIGSEGV"
      #expect(ending.errors.contains(end), "\(ending.errors)")
    }

    @Test func aScriptMayBeAFile() throws {
      let file = try PipelineFile("kinds.tiny 7\nkinds.fail x\n")
      let ending = try HostProcess.run("shell", file.path)
      #expect(ending.status == 1)
      #expect(ending.text == "7\n")
      #expect(ending.errors.hasPrefix("plugin-host: \(file.path):2: kinds.fail: "), "\(ending.errors)")
      #expect(try HostProcess.run("shell", "/no/such/file").status == 64)
      #expect(try HostProcess.run("shell", "--output", "x").status == 64)
    }

    @Test func anInterruptedCallLeavesTheSessionOpen() throws {
      let (drawing, ending) = try terminalSession { terminal, process in
        terminal.type("later.never\r")
        #expect(terminal.wait { $0.contains("never: for ever") })
        kill(process.processIdentifier, SIGINT)
        // Waits for the prompt: before it the terminal echoes by itself, and the prompt would take an interruption.
        waitForPrompt(terminal, after: "plugin-host: interrupted")
        terminal.type("later.block\r")
        // The line is taken: from here on an interruption is the call's, which may not have begun.
        #expect(terminal.wait { $0.components(separatedBy: "\r\n").dropLast().contains { $0.contains("later.block") } })
        kill(process.processIdentifier, SIGINT)
        waitForPrompt(terminal, after: "plugin-host: interrupted", times: 2)
        terminal.type("kinds.tiny 11\r")
        waitForPrompt(terminal, after: "kinds.tiny 11")
      }
      #expect(ending.status == 0, "\(drawing)")
      #expect(ending.text == "11\n", "\(drawing)")
      // The editor did not take the interruption for one of its own, which would have a second prompt.
      #expect(!drawing.contains("^C"), "\(drawing)")
    }

    @Test("Ctrl-C ends the reading of a FIFO, and leaves the session open")
    func anInterruptedArgument() throws {
      let folder = try TemporaryFolder()
      let fifo = folder.path("fifo")
      #expect(mkfifo(fifo, 0o600) == 0)
      let (drawing, ending) = try terminalSession { terminal, process in
        terminal.type("kinds.text @\(fifo)\r")
        let writer = openedForWriting(fifo)
        kill(process.processIdentifier, SIGINT)
        waitForPrompt(terminal, after: "plugin-host: interrupted")
        close(writer)
        terminal.type("kinds.tiny 11\r")
        waitForPrompt(terminal, after: "kinds.tiny 11")
      }
      #expect(ending.status == 0 && ending.text == "11\n", "\(drawing)")
    }

    @Test("a terminal that cannot be drawn on has a session too, without an editor")
    func aDumbTerminal() throws {
      let (drawing, ending) = try terminalSession(environment: ["TERM": "dumb"]) { terminal, process in
        terminal.type("nonsense\n")
        waitForPrompt(terminal, after: "\"nonsense\" is neither a command")
        terminal.type("later.never\n")
        #expect(terminal.wait { $0.contains("never: for ever") })
        kill(process.processIdentifier, SIGINT)
        waitForPrompt(terminal, after: "plugin-host: interrupted")
        terminal.type("kinds.tiny 11\n")
        waitForPrompt(terminal, after: "kinds.tiny 11")
        kill(process.processIdentifier, SIGINT)
        #expect(terminal.wait { $0.contains("plugin-host> \r\nplugin-host> ") })
      }
      #expect(ending.status == 0 && ending.text == "11\n", "\(drawing)")
      #expect(!drawing.contains("\u{1B}"), "\(drawing)")
    }

    @Test func linesAreEditedCompletedAndRemembered() throws {
      let state = TemporaryPath()
      let environment = ["XDG_STATE_HOME": state.path]
      let (drawing, ending) = try terminalSession(environment: environment) { terminal, _ in
        // "kinds.tiny x=1", then a mistake that is taken back, then the same line again.
        terminal.type("kin\ttin\tx\t1\r")
        waitForPrompt(terminal, after: "kinds.tiny x=1")
        terminal.type("\u{1B}[Aab\u{7F}\u{7F}\r")
        waitForPrompt(terminal, after: "kinds.tiny x=1", times: 2)
        terminal.type("x\u{3}")
        #expect(terminal.wait { $0.contains("^C") })
        terminal.type("kinds.t\u{15}nonsense\r")
        waitForPrompt(terminal, after: "\"nonsense\" is neither a command")
      }
      #expect(ending.status == 0, "\(drawing)")
      #expect(ending.text == "1\n1\n", "\(drawing)")
      let (_, second) = try terminalSession(environment: environment) { terminal, _ in
        terminal.type("\u{1B}[A\u{1B}[A\r")
        waitForPrompt(terminal, after: "kinds.tiny x=1")
      }
      #expect(second.text == "1\n")
    }
  }
}

/// Opens a FIFO once another process reads it; waits at most a minute.
private func openedForWriting(_ path: String) -> Int32 {
  let deadline = Date(timeIntervalSinceNow: 60)
  while Date() < deadline {
    let writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    if writer >= 0 { return writer }
    usleep(1000)
  }
  return -1
}
