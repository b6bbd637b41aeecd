import Foundation
import Mutating
import Testing

@testable import mutate

/// Judges with programs of the shell as tests. Serialized: one test kills all running programs.
@Suite("Verdicts", .serialized)
struct JudgeTests {
  /// A test of a program of the shell, which sees the number of the mutation in `$MUTATION`; 0: none.
  private static func test(_ name: String, _ program: String, parts: [TestUnit] = []) -> TestUnit {
    let head = "MUTATION=${MUTATION:-0}; [ -z \"$MUTATION_REACHED\" ] || printf '\\1\\1' > \"$MUTATION_REACHED\"; "
    return TestUnit(
      name: name, command: ["sh", "-c", head + program], environment: [:], parts: parts, reportsFailures: true)
  }

  /// The verdict of tests on a row that names some of them.
  private func verdict(_ tests: [TestUnit], named: String, alone: Bool = false) throws -> Result.Verdict {
    let folder = FileManager.default.temporaryDirectory.appending(path: "judge-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let workspace = Workspace(root: folder)
    let rows = try readTable("== one\nfile: a.swift\nbreaks: b\ntests: \(named)\n- a()\n+ b()\n", named: "rows.txt")
    let mutation = try rows[0].mutation(of: SourceFile(path: "a.swift", text: "func f() { a() }\n"))
    let built = Built(numbered: try Numbered([mutation], workspace), leftOut: [])
    let judge = Judge(workspace, tests, rows: ["one": rows[0]], jobs: 1, budget: 60, longest: 300, isNamedAlone: alone)
    return try #require(judge.run(built, ["one"]) { _ in }.first).verdict
  }

  @Test(
    "a named test kills by a failure, by a crash, by a hang",
    arguments: [
      ("exit $MUTATION", "fails"), ("[ $MUTATION = 0 ] || kill -SEGV $$", "crashes"),
      ("[ $MUTATION = 0 ] || sleep 1000", "hangs"),
      ("[ $MUTATION = 0 ] || { echo '✘ Test a() recorded an issue at A.swift:1:2: x'; sleep 1000; }", "fails"),
    ])
  func named(_ program: String, _ how: String) throws {
    #expect(try verdict([Self.test("T.a", program)], named: "T.a") == .killed(by: "T.a", how: how))
  }

  @Test("all named tests have to fail; another one that fails is reported, unless the named ones are run alone")
  func others() throws {
    let tests = [Self.test("T.a", "exit $MUTATION"), Self.test("T.b", "exit 0"), Self.test("U.c", "exit $MUTATION")]
    #expect(try verdict(tests, named: "T.a T.b") == .misnamed(by: "U.c"))
    #expect(try verdict(tests, named: "T.b", alone: true) == .survived(passed: 1, left: 2))
    #expect(try verdict(tests, named: "U", alone: true) == .killed(by: "U.c", how: "fails"))
    #expect(try verdict([tests[1]], named: "T.b") == .survived(passed: 1, left: 0))
  }

  @Test("a test runs once without a mutation, and again when its files have changed")
  func known() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "known-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, log) = (folder.appending(path: "program"), folder.appending(path: "log"))
    try Data("a".utf8).write(to: file)
    var test = Self.test("T.a", "echo $MUTATION >> \(log.path); exit $MUTATION")
    let mutations = SourceFile(path: "a.swift", text: "func f() { a() }").mutations()
    let numbered = try Numbered(mutations, Workspace(root: folder))
    func runs(_ files: [String]) throws -> Int {
      test.files = files
      let judge = Judge(
        Workspace(root: folder), [test], rows: [:], jobs: 1, budget: 60, longest: 300, isNamedAlone: false)
      let ids = Set(numbered.numbers.map { numbered[$0].id })
      let verdicts = try judge.run(Built(numbered: numbered, leftOut: []), ids) { _ in }.map(\.verdict)
      #expect(verdicts.contains(.killed(by: "T.a", how: "fails")))
      defer { try? FileManager.default.removeItem(at: log) }
      return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").count { $0 == "0" }
    }
    #expect(try [[], [file.path], [file.path]].map(runs) == [1, 1, 0])
    try Data("longer".utf8).write(to: file)
    #expect(try runs([file.path]) == 1)
  }

  @Test("a program ends without waiting for a child that keeps its output open, and the child is killed")
  func orphans() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let live = try LiveOutput()
    let program = "setsid sleep 500 & echo $! > \(file.path); exit 3"
    #expect(try Command.run(["timeout", "600", "sh", "-c", program], live: live).status == 3)
    try await expectEnded(file)
  }

  @Test("the signal that ends the tool kills the running programs, and children that lead groups of their own")
  func signals() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let (ended, end) = AsyncStream<Int32>.makeStream()
    let sources = Programs.killAtSignals([SIGUSR2]) { end.yield($0) }
    defer { withExtendedLifetime(sources) {} }
    let program = "setsid sleep 500 & echo $! > \(file.path).new; mv \(file.path).new \(file.path); sleep 500"
    async let outcome = Task.detached { try Command.run(["timeout", "600", "sh", "-c", program]) }.value
    while !FileManager.default.fileExists(atPath: file.path) { try await Task.sleep(for: .milliseconds(10)) }
    kill(getpid(), SIGUSR2)
    #expect(await ended.first { _ in true } == SIGUSR2)
    #expect(try await outcome.status == 128 + SIGKILL)
    try await expectEnded(file)
  }

  /// Waits until the process ends whose number is in a file.
  private func expectEnded(_ file: URL) async throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    let child = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
    for _ in 0..<1000 where isRunning(child) { try await Task.sleep(for: .milliseconds(10)) }
    #expect(!isRunning(child))
  }

  /// Whether a process runs. One that has ended may wait to be reaped.
  private func isRunning(_ process: pid_t) -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return status.map { !$0.contains(") Z ") } ?? false
  }

  @Test("a mutation keeps its number when others come and go")
  func numbers() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "numbers-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let workspace = Workspace(root: folder)
    let all = SourceFile(path: "a.swift", text: "func f() { a(); b() }").mutations()
    #expect(all.count == 3)
    #expect(try Numbered([all[2]], workspace).numbers == [1])
    let more = try Numbered(all, workspace)
    #expect(more.numbers == [1, 2, 3] && more[1] == all[2] && more[2] == all[0])
    let fewer = try Numbered([all[1]], workspace)
    #expect(fewer.numbers == [3] && fewer.last == 3)
  }
}
