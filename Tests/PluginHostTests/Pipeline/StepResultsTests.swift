import PluginRuntime
import PromisesTestSupport
import Testing

@testable import plugin_host

/// The results that the calls of one step share.
@Suite struct StepResultsTests {
  @Test("a part of a text's JSON costs each call the same, however long the text is", arguments: [false, true])
  func parts(isMember: Bool) throws {
    let costs = least(until: isLinear) {
      [500, 2000].map { count in
        let text = PluginValue.string("[" + (0..<count).map { "\($0)" }.joined(separator: ",") + "]")
        let results = StepResults([0: isMember ? .object([PluginMember("body", text)]) : text])
        let path = ResultPath(parts: (isMember ? [.name("body")] : []) + [.index(1)])
        return threadTime {
          for index in 0..<count {
            let call = results.adding(PipelinePlan.Element(value: .void), at: index)
            #expect(throws: Never.self) { try call.value(of: .init(step: 0, path: path)) == .int(1) }
          }
        }
      }
    }
    #expect(isLinear(costs), "ns for a number of calls, and four times that: \(costs)")
  }

  private func isLinear(_ costs: [Double]) -> Bool { costs[1] <= 8 * costs[0] }

  @Test("a part is that of its own text")
  func own() throws {
    let results = StepResults([0: .string("[[1], \"[5]\"]"), 1: .string("[[2]]"), 2: .string("\"[3]\"")])
    let first = ResultPath(parts: [.index(0), .index(0)])
    #expect(try results.value(of: .init(step: 0, path: first)) == .int(1))
    #expect(try results.value(of: .init(step: 1, path: first)) == .int(2))
    #expect(try results.value(of: .init(step: 0, path: ResultPath(parts: [.index(1), .index(0)]))) == .int(5))
    #expect(throws: MissingPart.self) { try results.value(of: .init(step: 2, path: ResultPath(parts: [.index(0)]))) }
    for item in [7, 8] {
      let element = PipelinePlan.Element(value: .string("[\(item)]"))
      let part = PipelinePlan.StepResult(step: PipelinePlan.StepResult.item, path: ResultPath(parts: [.index(0)]))
      #expect(try results.adding(element, at: 0).value(of: part) == .int(Int64(item)))
    }
  }
}
