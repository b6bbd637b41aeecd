import Foundation
import Testing

extension EndToEnd {
  /// Handles of a library that pass from step to step.
  @Suite struct PipelineHandleTests {
    private func run(_ steps: String, _ options: String...) throws -> HostProcess.Ending {
      let file = try PipelineFile("plugins: [sqlite]\n\(steps)\n")
      return try HostProcess.run(
        ["run", "--plugins", Package.adopted, "--progress", "off"] + options + [file.path])
    }

    @Test(arguments: ["in-process", "process"])
    func rowsOfAQueryAreEvents(place: String) throws {
      let file = try PipelineFile(
        """
        plugins: [sqlite, kinds]
        steps:
          open: {call: sqlite.sqlite3_open, with: {path: ":memory:"}}
          rows:
            call: sqlite.sqlite3_exec
            with:
              db: {step: open, get: db}
              sql: with recursive n(i) as (select 1 union all select i + 1 from n where i < 200) select i, null as x from n
              row: {stream: 8, returns: 0}
          texts: {call: kinds.text, each: {stream: rows}, with: {x: "${item.names[0]}=${item.values[0]}"}}
        """)
      let ending = try HostProcess.run(
        "run", "--plugins", Package.adopted, "--progress", "off", "--isolation", place, file.path)
      let rows = (1...200).map { "\"i=\($0)\"" }.joined(separator: ",")
      #expect(ending.text == "[\(rows)]\n", "\(ending.errors)")
    }

    @Test func aMemberThatIsForgottenIsNamed() throws {
      let file = try PipelineFile(
        """
        plugins: [sqlite]
        steps:
          open: {call: sqlite.sqlite3_open, with: {path: ":memory:"}}
          changes: {call: sqlite.sqlite3_changes, with: {db: {step: open}}}
        """)
      let ending = try HostProcess.run("run", "--plugins", Package.adopted, file.path)
      #expect(
        ending.errors.contains("the step \"open\" returns an object of db; {step: open, get: db} is its db"),
        "\(ending.errors)")
      #expect(ending.status == 64)
    }

    @Test(arguments: [[], ["-j", "1"], ["--isolation", "process"]])
    func aDatabaseIsUsedAndClosed(options: [String]) throws {
      let folder = try TemporaryFolder()
      let path = folder.path("t.db")
      let file = try PipelineFile(
        """
        plugins: [sqlite]
        set: {path: ""}
        steps:
          open: {call: sqlite.sqlite3_open, with: {path: "${path}"}}
          wal:
            {call: sqlite.sqlite3_exec, serial: db, with: {db: {step: open, get: db}, sql: pragma journal_mode = wal}}
          create:
            {call: sqlite.sqlite3_exec, serial: db, after: wal, with: {db: {step: open, get: db}, sql: create table t (n)}}
          fill:
            call: sqlite.sqlite3_exec
            each: [1, 20, 300]
            serial: db
            after: create
            with: {db: {step: open, get: db}, sql: "insert into t values (${item})"}
          query:
            call: sqlite.sqlite3_prepare_v2
            serial: db
            after: fill
            with: {db: {step: open, get: db}, sql: select sum(n) from t}
          row: {call: sqlite.sqlite3_step, serial: db, with: {statement: {step: query, get: statement}}}
          sum:
            call: sqlite.sqlite3_column_int64
            serial: db
            after: row
            with: {statement: {step: query, get: statement}, column: 0}
        result: {row: row, sum: sum}
        """)
      let ending = try HostProcess.run(
        ["run", "--plugins", Package.adopted, "--progress", "off", "--set", "path=\(path)"] + options
          + (options.contains("process") ? ["read", "write"].flatMap { ["--allow", "\($0)=\(folder.url.path)"] } : [])
          + [file.path])
      #expect(ending.text == #"{"row":100,"sum":321}"# + "\n", "\(ending.errors)")
      #expect(ending.errors == "" && ending.status == 0)
      // The last connection to be closed, after its statement, removes the log and its index.
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["t.db"])
    }

    @Test func aHandleThatAStepReleasedIsRefused() throws {
      let ending = try run(
        """
        steps:
          open: {call: sqlite.sqlite3_open, with: {path: ":memory:"}}
          close: {call: sqlite.sqlite3_close, with: {db: {step: open, get: db}}}
          late: {call: sqlite.sqlite3_changes, after: close, with: {db: {step: open, get: db}}}
        """)
      #expect(ending.errors.contains("late: argument 'db' is a sqlite3 that 'sqlite3_close' has released"))
      #expect(ending.status == 1)
    }

    @Test func aHandleIsNotKeptAsAResult() throws {
      let ending = try run(
        "steps: {open: {call: sqlite.sqlite3_open, with: {path: \":memory:\"}, pure: true}}")
      #expect(ending.errors.contains("sqlite3_open takes or returns values that are not valid in another run"))
      #expect(ending.status == 64)
    }
  }
}
