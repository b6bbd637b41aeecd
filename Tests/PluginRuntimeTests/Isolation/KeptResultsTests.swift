import Promises
import Testing

@testable import PluginRuntime

@Suite("Isolation: the table of kept results")
struct KeptResultsTests {
  private let promises = (0..<3).map { _ in Promise<PluginValue>() }

  private func result(_ index: Int, size: UInt64) throws -> KeptResult {
    let signature = try Signature(parsing: "large() -> bytes")
    let function = RemoteFunction(FunctionDescription(signature: signature, description: nil), 0, of: "test.kept")
    let call = RemoteCall(UInt64(index), function, settling: promises[index], CallTerms(), number: 7)
    return KeptResult(call, size: size)
  }

  @Test("counts the results in the worker, and finds them by their promises")
  func size() throws {
    var kept = KeptResults()
    for index in 0..<3 { kept[UInt64(index)] = try result(index, size: 1000 << index) }
    #expect(kept.size == (3, 7000))
    kept[1] = nil
    #expect(kept.size == (2, 5000))
    #expect(promises.map { kept.request(of: $0) } == [0, nil, 2])
    var places = [Promise<PluginValue>()]
    kept[2]?.place = .host(places[0])
    #expect(kept.size == (1, 1000))
    #expect(promises.map { kept.request(of: $0) } == [0, nil, nil])
    let calls = kept.moveToHost(&places)
    #expect(calls.map(\.request) == [0] && places.isEmpty)
    #expect(kept.size == (0, 0))
    #expect(kept.request(of: promises[0]) == nil)
  }

  @Test("a result that replaces another one is not found by the promise of that one")
  func replaced() throws {
    var kept = KeptResults()
    kept[5] = try result(0, size: 1)
    kept[5] = try result(1, size: 2)
    #expect(promises.map { kept.request(of: $0) } == [nil, 5, nil])
    #expect(kept.size == (1, 2))
  }

  @Test("the results of the last 32 calls are found, the oldest is replaced first")
  func recent() {
    var recent = RecentResults()
    for number in 0..<100 as Range<UInt64> {
      recent.append(.uint(number), number)
      let kept = (0...number).filter { recent[$0] == .uint($0) }
      #expect(kept == Array((0...number).suffix(RecentResults.capacity)))
    }
    #expect(RecentResults.capacity == 32)
  }
}
