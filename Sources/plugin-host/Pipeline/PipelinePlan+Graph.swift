import Glibc
import PluginRuntime

/// The format of `run --graph`, which prints a plan as a graph.
enum GraphFormat: String, CaseIterable, Sendable {
  /// The language of Graphviz.
  case dot
  /// A picture, drawn by Graphviz's `dot`.
  case svg
}

extension PipelinePlan {
  /// Returns the graph in that format. Drawing may take as long as `limit`, by default a minute.
  func graph(_ format: GraphFormat, within limit: Seconds? = nil) throws(Failure) -> [UInt8] {
    switch format {
    case .dot: Array(dot.utf8)
    case .svg: try Self.svg(of: dot, within: limit)
    }
  }

  /// The steps as nodes. An arrow leads from a step to those that use its result. It is dashed if a step only waits for
  /// the other, dotted to the substitute for a rejected step, and bold to a step that takes events.
  var dot: String {
    var lines = ["digraph pipeline {", "  node [shape=box];"]
    let results = result.steps
    for (number, step) in steps.enumerated() {
      // Names contain no character that needs a quote in the format.
      let label = "\(Redaction.apply(step.name))\\n\(Redaction.apply(step.call.label))"
      lines.append("  s\(number) [label=\"\(label)\"\(results.contains(number) ? ", peripheries=2" : "")];")
      let after = Set(after(step))
      for input in step.inputs {
        lines.append("  s\(input) -> s\(number)\(after.contains(input) ? " [style=dashed]" : "");")
      }
      for consumer in step.consumers { lines.append("  s\(number) -> s\(consumer) [style=bold];") }
      if case .call(_, let inputs) = step.rescue {
        for input in inputs { lines.append("  s\(input) -> s\(number) [style=dotted];") }
      }
    }
    return lines.joined(separator: "\n") + "\n}\n"
  }

  private static func svg(of dot: String, within limit: Seconds?) throws(Failure) -> [UInt8] {
    let limit = min(limit?.value ?? 60, 60)
    let file = try TemporaryFile(dot)
    defer { file.remove() }
    do {
      let result = try Command.run("dot", ["-Tsvg", file.path], timeout: .seconds(limit))
      guard result.status == 0 else { throw Failure(.rejected, "dot ended with status \(result.status)") }
      return result.output
    } catch let failure as Failure {
      throw failure
    } catch Command.Failure.system(let error) where error.code == ENOENT {
      throw Failure(
        .rejected,
        "--graph svg is drawn by Graphviz, and there is no program dot in PATH: install graphviz, or use --graph dot")
    } catch Command.Failure.timedOut {
      throw Failure(
        .timedOut, "dot did not end within \(CallFailure.number(limit)) s: use --graph dot, and draw its output")
    } catch Command.Failure.interrupted(let signal) {
      file.remove()
      TerminationSignals.die(by: signal)
    } catch {
      throw Failure(.rejected, "dot: \(error)")
    }
  }
}
