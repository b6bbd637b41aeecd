import Testing

@testable import Promises

@Suite("Engine: alarms")
struct Alarms {
  @Test("an alarm for which there is no timer ends the process: a time limit that never comes would be silent")
  func withoutTimer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let executor = unsafe CellExecutor.make({ _, _ in }, Context(nil, nil))!
      executor.ref.retainUnchecked(Life.referenceLimit - 1)
      _ = Alarm(after: 3600, on: executor) {}
    }
    let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(text?.contains("for a timer") == true, "\(text ?? "")")
  }
}
