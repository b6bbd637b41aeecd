import PromisesTestSupport
import Testing

@testable import Promises

@Suite("Engine: many promises made into one")
struct Gathering {
  private let inputs = (0..<3).map { _ in CellRef.promise()! }

  private func gather(_ mode: Gather.Mode, cancelsOthers: Bool = false) -> CellRef {
    Gather.promise(of: { inputs[$0] }, count: inputs.count, mode, cancelsOthers: cancelsOthers) { entries, last, out in
      let sum = unsafe entries.reduce(0) { $0 + $1.value.bits }
      out = CellValue(kind: .u64, bits: sum * 10 + UInt64(last))
      return unsafe entries.contains(where: \.isRejected) ? .rejected : .fulfilled
    }!
  }

  private func settle(_ index: Int, _ number: UInt64, _ outcome: Outcome = .fulfilled) {
    _ = inputs[index].settle(CellValue(kind: .u64, bits: number), outcome)
  }

  private func release(_ result: CellRef) {
    result.release()
    for input in inputs { input.release() }
  }

  @Test("all: the result has the values in order, when the last input is fulfilled")
  func all() {
    let result = gather(.all)
    settle(2, 3)
    settle(0, 1)
    #expect(!result.state.isSettled)
    settle(1, 2)
    #expect(result.value.bits == 61 && !result.state.isRejected)
    release(result)
  }

  @Test(
    "all: the first rejection settles the result, and the other inputs are asked to cancel only on demand",
    arguments: [true, false])
  func allRejected(cancelsOthers: Bool) {
    let result = gather(.all, cancelsOthers: cancelsOthers)
    settle(1, 7, .rejected)
    #expect(result.value.bits == 7 && result.state.isRejected)
    #expect(inputs[0].isCancelRequested == cancelsOthers)
    #expect(inputs[2].isCancelRequested == cancelsOthers)
    settle(0, 8, .rejected)
    #expect(result.value.bits == 7)
    settle(2, 9)
    release(result)
  }

  @Test("any takes the first fulfilled input, first the first not cancelled, race the first settled one")
  func others() {
    let any = gather(.any)
    let first = gather(.first)
    let race = gather(.race)
    _ = inputs[0].discard()
    #expect(race.state.isRejected && !first.state.isSettled && !any.state.isSettled)
    settle(2, 5, .rejected)
    #expect(first.value.bits == 5 && first.state.isRejected && !any.state.isSettled)
    settle(1, 4)
    #expect(any.value.bits == 4 && !any.state.isRejected)
    any.release()
    race.release()
    release(first)
  }

  @Test("A request to cancel the result propagates to the inputs without another subscriber")
  func request() {
    let result = gather(.all)
    let other = inputs[1].react { _, _, _ in .pass }!
    result.requestCancel()
    // The only reference of each input is its producer's, which is not interest; inputs[1] has another reaction, which
    // is.
    #expect(inputs.map(\.isCancelRequested) == [true, false, true])
    other.requestCancel()
    #expect(inputs[1].isCancelRequested)
    other.release()
    for index in 0..<3 { settle(index, 0) }
    release(result)
  }

  @Test("An input that is dropped while pending leaves the result to the others, or pending")
  func lost() {
    let any = gather(.any)
    let all = gather(.all)
    inputs[0].release()
    settle(1, 1)
    settle(2, 2)
    #expect(any.value.bits == 1)
    #expect(!all.state.isSettled)
    all.release()
    any.release()
    inputs[1].release()
    inputs[2].release()
  }

  @Test("The result of settled inputs, and of no inputs, is settled at once")
  func atOnce() {
    for index in 0..<3 { settle(index, 1) }
    let result = gather(.allSettled)
    #expect(result.value.bits == 32)
    let none = Gather.promise(of: { _ in fatalError() }, count: 0, .all) { entries, last, out in
      out = CellValue(kind: .u64, bits: UInt64(entries.count))
      return last == -1 ? .fulfilled : .rejected
    }!
    #expect(none.state.isSettled && !none.state.isRejected)
    none.release()
    release(result)
  }

  @Test("More inputs than references of a gather are refused before anything is made")
  func tooMany() {
    let count = Int(Life.referenceLimit)
    #expect(Gather.promise(of: { _ in fatalError() }, count: count, .all) { _, _, _ in .fulfilled } == nil)
    for input in inputs { input.release() }
  }
}
