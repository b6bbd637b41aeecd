import Foundation
import Testing

extension EndToEnd {
  /// Streams whose steps would wait for each other forever, which is found before anything runs.
  @Suite struct PipelineWaitingTests {
    private func plan(_ steps: String, _ plugins: String = "[calling, kinds, later]") throws -> HostProcess.Ending {
      let file = try PipelineFile("plugins: \(plugins)\nsteps:\n\(steps)\n")
      return try HostProcess.run("run", "--dry-run", file.path)
    }

    private static let rows = "call: calling.count, with: {n: 200, f: {stream: 1, returns: true}}"
    private static let more = "call: calling.count, each: {stream: rows}, with: {n: 1, f: {stream: 1, returns: true}}"
    private static let alone = "[{plugin: calling, isolation: thread}, {plugin: later, isolation: thread}, kinds]"

    @Test(
      "a lock that a step needs is held by one whose events it takes, over other steps or for its replacement",
      arguments: [
        (
          """
            rows: {\(rows), serial: db}
            more: {\(more)}
            all: {call: kinds.tiny, each: {stream: more}, serial: db}
          """, "[calling, kinds]",
          "5:3: error: the step takes the events of \"more\", which takes those of \"rows\" while that runs, so they cannot "
            + "both be serial db"
        ),
        (
          """
            rows: {\(rows)}
            more: {call: kinds.tiny, each: {stream: rows}, rescue: {call: calling.later, with: {x: 1, y: 1}}}
          """, "[{plugin: calling, isolation: process, limits: {in-flight: 1}}, kinds]",
          "the step takes the events of \"rows\" while that runs, but org.example.calling makes one call at a time"
        ),
        (
          """
            p: {\(rows), serial: s}
            c: {\(more.replacing("rows", with: "p"))}
            d: {call: kinds.text, each: {stream: c}, rescue: {call: kinds.text, with: {x: "${steps.q}"}}}
            r: {call: kinds.text, serial: s}
            q: {call: kinds.text, after: r}
          """, "[calling, kinds]",
          "6:3: error: the step is waited for by \"q\", which is waited for by \"d\", which takes the events of \"c\", which "
            + "takes those of \"p\" while that runs, so they cannot both be serial s; \"after: r\" in \"p\" makes one run "
            + "after the other\n"
        ),
      ])
    func chains(steps: String, plugins: String, message: String) throws {
      let ending = try plan(steps, plugins)
      #expect(ending.status == 64 && ending.errors.contains(message), "\(ending)")
    }

    @Test(
      "two streams whose locks are taken crosswise, and a step that holds a lock while it waits for a thread",
      arguments: [
        (
          """
            p: {\(rows), serial: s}
            c: {call: kinds.tiny, each: {stream: p}, serial: t}
            q: {\(rows), serial: t}
            d: {call: kinds.tiny, each: {stream: q}, serial: s}
          """, "[calling, kinds]",
          "4:3: error: these steps can wait for each other forever: \"p\" waits for \"c\", which takes its events and "
            + "waits for \"q\" (serial t); \"q\" waits for \"d\", which takes its events and waits for \"p\" (serial s)"
        ),
        (
          """
            p: {\(rows)}
            c: {call: kinds.tiny, each: {stream: p}, serial: s}
            q: {call: calling.later, with: {x: 1, y: 1}, serial: s}
          """, alone,
          "\"q\" waits for \"p\" (org.example.calling, which makes one call at a time)"
        ),
        (
          """
            p: {\(rows), serial: s}
            c: {call: kinds.tiny, each: {stream: p}, rescue: {call: kinds.tiny, with: {x: {step: r}}}}
            r: {call: kinds.tiny, serial: t}
            q: {\(rows), serial: t}
            d: {call: kinds.tiny, each: {stream: q}, serial: s}
          """, "[calling, kinds]",
          "\"p\" waits for \"r\", which its events need and which waits for \"q\" (serial t); \"q\" waits for \"d\", which "
            + "takes its events and waits for \"p\" (serial s)"
        ),
      ])
    func circles(steps: String, plugins: String, message: String) throws {
      let ending = try plan(steps, plugins)
      #expect(ending.status == 64 && ending.errors.contains(message), "\(ending)")
    }

    @Test(
      "steps that never run at the same time wait for nothing",
      arguments: [
        """
          p: {\(rows), serial: s}
          c: {call: kinds.tiny, each: {stream: p}, serial: t}
          q: {\(rows), serial: t, after: c}
          d: {call: kinds.tiny, each: {stream: q}, serial: s}
        """,
        """
          p: {\(rows), serial: s}
          c: {call: kinds.tiny, each: {stream: p}, serial: t}
          q: {\(rows), serial: s}
          d: {call: kinds.tiny, each: {stream: q}, serial: t}
        """,
        """
          p: {\(rows), serial: s}
          c: {call: kinds.tiny, each: {stream: p}, serial: t}
        finally:
          q: {\(rows), serial: t}
          d: {call: kinds.tiny, each: {stream: q}, serial: s}
        """,
        """
          p1: {\(rows), serial: s1}
          c1: {call: kinds.tiny, each: {stream: p1}, serial: s2}
          p2: {\(rows), serial: s2}
          c2: {call: kinds.tiny, each: {stream: p2}, serial: s3}
          p3: {\(rows), serial: s3, after: p1}
          c3: {call: kinds.tiny, each: {stream: p3}, serial: s4}
          p4: {\(rows), serial: s4}
          c4: {call: kinds.tiny, each: {stream: p4}, serial: s1}
        """,
        """
          q: {call: kinds.text, serial: s}
          p: {\(rows), serial: s, after: q}
          c: {call: kinds.setting, each: {stream: p}, with: {key: k}, rescue: {call: kinds.text, with: {x: {step: q}}}}
        """,
        """
          q: {call: kinds.text, serial: s}
        finally:
          p: {\(rows), serial: s}
          c: {call: kinds.setting, each: {stream: p}, with: {key: k}, rescue: {call: kinds.text, with: {x: {step: q}}}}
        """,
      ])
    func noCircles(steps: String) throws {
      let ending = try plan(steps)
      #expect(ending.status == 0, "\(ending)")
      let file = try PipelineFile("plugins: [calling, kinds]\nsteps:\n\(steps)\n")
      #expect(try HostProcess.run("run", file.path).status == 0)
    }

    @Test("a call that waits for the thread of its plugin leaves the slots of -j to others")
    func slotsOfWaitingCalls() throws {
      let file = try PipelineFile(
        """
        plugins: \(Self.alone)
        steps:
          p: {\(Self.rows)}
          c: {call: kinds.tiny, each: {stream: p}}
          q: {call: calling.later, with: {x: 1, y: 1}}
        result: [p, q]
        """)
      // Only a run that hangs takes so long.
      let ending = try HostProcess.run("run", "-j", "1", "--timeout", "60", "--progress", "off", file.path)
      #expect(ending.text == "{\"p\":200,\"q\":11}\n", "\(ending)")
    }
  }
}
