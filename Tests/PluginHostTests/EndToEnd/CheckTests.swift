import Foundation
import Testing

extension EndToEnd {
  @Suite struct CheckTests {
    /// Returns a fixture with one fault, or without.
    private static func plugin(_ fault: String?) throws -> Fixture { try Fixture(fault) }

    private final class Fixture {
      let folder = FileManager.default.temporaryDirectory.appending(path: "check-\(UUID().uuidString)")
      var path: String { folder.appending(path: "faulty.so").path }

      init(_ fault: String?, _ more: [String] = []) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let flags = ["-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-pthread"]
        try Package.run(
          "cc",
          flags + more + (fault.map { ["-D\($0)"] } ?? []) + [
            "-I", Package.include, "-o", path, Package.fixtures.appending(path: "Checked/faulty.c").path,
          ])
      }

      deinit { try? FileManager.default.removeItem(at: folder) }
    }

    private struct Report: Decodable {
      struct Check: Decodable {
        let name: String
        let calls: Int
        let findings: [String]
        let notes: [String]
        let made: Bool
      }
      let id: String
      let seed: UInt64
      let findings: Int
      let checks: [Check]
    }

    private func report(_ fault: String?, _ options: String...) throws -> (Report, HostProcess.Ending) {
      let fixture = try Self.plugin(fault)
      let ending = try HostProcess.run(["check", "--format", "json", "--seed", "7"] + options + [fixture.path])
      withExtendedLifetime(fixture) {}
      return (try JSONDecoder().decode(Report.self, from: ending.output), ending)
    }

    @Test("a plugin without a fault has no finding, and each function is called")
    func good() throws {
      let (report, ending) = try report(nil)
      #expect(ending.status == 0 && report.findings == 0, "\(ending.text) \(ending.errors)")
      #expect(report.id == "org.example.faulty" && report.seed == 7)
      #expect(report.checks.filter { $0.name.hasSuffix(": calls") }.map(\.calls) == [100, 100, 100, 100])
      #expect(report.checks.contains { $0.name == "later: cancellation" && $0.calls == 51 })
    }

    @Test(
      "each fault is found, in its own check",
      arguments: [
        ("CRASHES", "number: calls", "by SIGSEGV, in the call number(value=-2147483648)"),
        ("EXITS", "number: calls", "called exit(0) in this call"),
        ("HANGS", "number: calls", "from the call number(value=1)"),
        ("LEAKS_MEMORY", "number: leaks", "bytes of memory of each call number("),
        ("LEAKS_WITH_OBJECT", "make_owned: leaks", "bytes of memory of each call make_owned()"),
        ("LEAKS_PROMISES", "number: leaks", "keeps 1 promises or values of each call number("),
        ("GIVES_BAD_TEXT", "text: calls", "UTF-8"),
        ("SETTLES_TWICE", "later: calls", "settles a promise that was settled before"),
        ("CALLS_LATE", "apply: calls", "which is the end of @call"),
        ("CRASHES_WHEN_DISCARDED", "later: cancellation", "by SIGSEGV, in the call later()"),
        ("SAYS_AND_DIES", "number: calls", "; it wrote last: one < two & \"three\""),
        ("CRASHES_ON_A_THREAD", "number: calls", "ended the process that ran it, by SIGSEGV, in "),
        ("DROPS", "later: calls", "releases the last reference to a promise that is pending"),
        ("LEAVES_THREAD", "load and unload", "leaves 1 thread behind"),
        ("LEAVES_DESCRIPTOR", "load and unload", "leaves 1 descriptor behind"),
        ("LEAVES_PROCESS", "load and unload", "leaves a process behind"),
        ("CRASHES_IN_UNLOAD", "load and unload", "by SIGSEGV, in unload()"),
      ])
    func faults(fault: String, check: String, finding: String) throws {
      // Long limits, because one that passes by chance would be a finding, too.
      let (report, ending) = try report(fault, "--calls", "30", "--timeout", fault == "HANGS" ? "6" : "60")
      #expect(ending.status == 1)
      let found = try #require(report.checks.first { $0.name == check })
      #expect(found.findings.contains { $0.contains(finding) }, "\(ending.text)")
      if !fault.hasPrefix("LEAVES_"), fault != "CRASHES_IN_UNLOAD" {
        // A function without a fault has no finding.
        let others = report.checks.filter { !$0.name.hasPrefix(check.prefix(5)) }
        #expect(others.allSatisfy { $0.findings.isEmpty }, "\(ending.text)")
      }
    }

    @Test("a check with several findings reports all, and may take longer than the limit of a call while it goes on")
    func severalFindings() throws {
      let fixture = try Fixture("LEAVES_THREAD", ["-DLEAVES_DESCRIPTOR"])
      let skipped = ["number", "text", "later", "apply"].flatMap { ["--skip", $0] }
      // It waits for 3 s for the thread to end.
      let ending = try HostProcess.run(["check", "--format", "json", "--timeout", "2"] + skipped + [fixture.path])
      let report = try JSONDecoder().decode(Report.self, from: ending.output)
      let findings = ["thread", "descriptor"].map { "leaves 1 \($0) behind after unload()" }
      let check = report.checks.first { $0.name == "load and unload" }
      #expect(check.map { Set($0.findings) } == Set(findings) && report.findings == 2, "\(ending.text)")
      withExtendedLifetime(fixture) {}
    }

    @Test("a checked call inherits no blocked or ignored signals, dumps no core, and ends with plugin-host")
    func surroundings() throws {
      let fixture = try Fixture("LOOKS_AROUND")
      let skipped = ["text", "later", "apply"].flatMap { ["--skip", $0] }
      let host = try HostProcess(
        ["--block-signal=USR1", "--ignore-signal=HUP", HostProcess.executable.path, "check"] + skipped + [fixture.path])
      host.process.executableURL = URL(filePath: "/usr/bin/env")
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == 0 && ending.text.contains("4 checks, 0 findings"), "\(ending)")
      withExtendedLifetime(fixture) {}
    }

    @Test("promises that one round of calls keeps, as a cache does, are not a leak")
    func cache() throws {
      let (report, ending) = try report("FILLS_A_CACHE", "--skip", "text", "--skip", "later", "--skip", "apply")
      let leaks = try #require(report.checks.first { $0.name == "number: leaks" })
      #expect(leaks.made && leaks.findings == [], "\(ending.text)")
    }

    @Test(
      "signatures are compared with the debug information of C",
      arguments: [
        ("number(value: i64) -> i32", "1 of C is an integer of 4 bytes, but calls pass an integer of 8 bytes"),
        ("number(value: f64) -> i32", "is an integer of 4 bytes, but calls pass a floating-point number of 8 bytes"),
        ("number(value: cstr) -> i32", "is an integer of 4 bytes, but calls pass an address"),
        ("number(value: str) -> i32", "is an integer of 4 bytes, but calls pass a struct of 16 bytes"),
        ("number() -> i32", "calls pass 0 arguments of C, but the function has 1 parameters"),
        ("number(value: i32, ..., more: i32)", "calls pass 2 arguments of C, but the function has 1 parameters"),
        ("number(value: i64, ..., more: i32)", "calls pass 2 arguments of C, but the function has 1 parameters"),
        ("number(value: i32, other: i32) -> i32", "calls pass 2 arguments of C, but the function has 1 parameters"),
        ("number(value: i32) -> i64", "returns an integer of 4 bytes, but calls expect an integer of 8 bytes"),
        ("number(value: i32)", nil), ("number(value: u32) -> i32", nil), ("number(value: i32) -> i32", nil),
      ])
    func types(signature: String, finding: String?) throws {
      let fixture = try Fixture(nil, ["-g", "-O1", "-DNUMBER=\"\(signature)\""])
      let skipped = ["number", "text", "later", "apply"].flatMap { ["--skip", $0] }
      let ending = try HostProcess.run(["check", "--format", "json"] + skipped + [fixture.path])
      withExtendedLifetime(fixture) {}
      let report = try JSONDecoder().decode(Report.self, from: ending.output)
      let check = try #require(report.checks.first { $0.name == "signatures" }, "\(ending)")
      #expect(check.findings == (finding == nil ? [] : check.findings) && check.notes == [], "\(ending.text)")
      if let finding { #expect(check.findings.contains { $0.contains(finding) }, "\(ending.text)") }
    }

    @Test("a function that takes an address is called with one from another function, which is not a leak")
    func addresses() throws {
      let (report, ending) = try report("WITH_OBJECTS", "--skip", "number", "--skip", "text", "--skip", "apply")
      #expect(ending.status == 0 && report.findings == 0, "\(ending.text)")
      let calls = Dictionary(
        uniqueKeysWithValues: report.checks.filter { $0.name.hasSuffix(": calls") }.map { ($0.name, $0.calls) })
      for function in ["make", "make_two", "look", "look_at_other", "make_part", "look_at_part", "listen"] {
        #expect(calls["\(function): calls"] == 100, "\(calls)")
      }
      #expect(calls["look_at_none: calls"] == 0 && calls["tie: calls"] == 0)
      let none = try #require(report.checks.first { $0.name == "look_at_none: calls" })
      #expect(!none.made && report.checks.contains { $0.name == "look: calls" && $0.made })
      #expect(none.notes == ["was not called: it takes a token, or an address that no function returns"])
      for function in ["make", "make_two", "look", "listen"] {
        let leaks = try #require(report.checks.first { $0.name == "\(function): leaks" })
        #expect(
          !leaks.made
            && leaks.notes == [
              "leaks were not measured: it returns addresses without an owner, takes addresses, or keeps callbacks"
            ],
          "\(leaks)")
      }
      #expect(report.checks.contains { $0.name == "make_owned: leaks" && $0.made && $0.calls == 600 }, "\(ending.text)")
    }

    @Test("a promise that stays pending is not a fault: it is discarded, and not all calls are made")
    func pending() throws {
      let (report, ending) = try report("NEVER_SETTLES", "--skip", "number", "--skip", "text", "--skip", "apply")
      #expect(ending.status == 0 && report.findings == 0, "\(ending.text)")
      let calls = try #require(report.checks.first { $0.name == "later: calls" })
      #expect(calls.calls == 3 && calls.notes == ["promises were pending after a second, and were discarded"])
      let leaks = try #require(report.checks.first { $0.name == "later: leaks" })
      #expect(leaks.calls == 1 && leaks.notes == ["leaks were not measured: a promise was pending after a second"])
    }

    @Test("a check may take longer than a call may")
    func long() throws {
      let words = ["--calls", "10000", "--timeout", "10", "--skip", "number", "--skip", "text", "--skip", "apply"]
      let fixture = try Self.plugin(nil)
      let ending = try HostProcess.run(["check"] + words + [fixture.path])
      #expect(ending.status == 0 && ending.text.contains("later: calls, 10000 calls"), "\(ending.text)")
    }

    @Test("the same seed repeats the calls, and another seed makes others")
    func seeds() throws {
      func arguments(_ seed: String) throws -> String {
        let fixture = try Self.plugin("CRASHES")
        let ending = try HostProcess.run("check", "--seed", seed, "--calls", "1000", fixture.path)
        #expect(ending.status == 1 && ending.text.contains("seed \(seed)\n"))
        return ending.text
      }
      #expect(try arguments("1") == arguments("1"))
      #expect(try arguments("1").replacing("seed 1", with: "") != arguments("2").replacing("seed 2", with: ""))
    }

    @Test("control characters in the text of a plugin become U+FFFD in the XML report")
    func controls() throws {
      let fixture = try Self.plugin("REFUSES")
      let file = fixture.folder.appending(path: "report.xml").path
      let ending = try HostProcess.run("check", "--junit", file, fixture.path)
      #expect(ending.status == 1)
      let xml = try String(contentsOfFile: file, encoding: .utf8)
      #expect(xml.contains("not\u{FFFD} on a \u{FFFD}Sunday"), "\(xml)")
      #expect(!xml.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(xml)")
    }

    @Test("the report is text, JSON and JUnit's XML; functions can be skipped")
    func reports() throws {
      let fixture = try Self.plugin("CRASHES")
      let file = fixture.folder.appending(path: "report.xml").path
      let ending = try HostProcess.run("check", "--seed", "7", "--junit", file, fixture.path)
      #expect(ending.status == 1 && ending.errors == "")
      #expect(ending.text.hasPrefix("org.example.faulty 1.0.0, seed 7\n  ok      descriptor\n"))
      #expect(ending.text.contains("  FAILED  number: calls"))
      let xml = try String(contentsOfFile: file, encoding: .utf8)
      #expect(xml.contains("<testcase classname=\"org.example.faulty\" name=\"number: calls\"><failure message=\""))
      #expect(xml.contains("failures=\"1\"") || xml.contains("failures=\"2\""), "\(xml)")
      let odd = try Self.plugin("SAYS_AND_DIES")
      let marked = try HostProcess.run("check", "--junit", file, odd.path)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(text.contains("one &lt; two &amp; &quot;three&quot;") && !text.contains("\u{1}"), "\(text)")
      #expect(
        text.contains("\"number: leaks\"><skipped message=\"leaks were not measured: its calls")
          && text.contains("name=\"text: leaks\"/>"), "\(text)")
      #expect(marked.text.contains("          note: leaks were not measured: its calls have findings\n"))
      #expect(marked.text.contains("  -       number: leaks\n") && text.contains("errors=\"0\" skipped=\"1\">"))
      #expect(marked.text.hasSuffix(" checks, 1 not made, 1 finding\n"), "\(marked.text)")
      let skipped = try HostProcess.run("check", "--skip", "number", fixture.path)
      #expect(skipped.status == 0 && !skipped.text.contains("number"), "\(skipped.text)")
      let unknown = try HostProcess.run("check", "--skip", "nothing", fixture.path)
      #expect(unknown.status == 64 && unknown.errors.contains("nothing"))
      #expect(try HostProcess.run("check", "/no/such/plugin.so").status == 2)
      #expect(try HostProcess.run("check", "--calls", "0", fixture.path).status == 64)
    }
  }
}
