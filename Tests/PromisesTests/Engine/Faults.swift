import Testing

@testable import Promises

@Suite("Engine: errors of the library")
struct Faults {
  @Test(
    "each error has its code, and a message that names the mistake",
    arguments: [
      (.malformedValue, -1, "a value of a known kind in *out"), (.heldByItself, -1, "cannot hold itself"),
      (.unknownVerdict, -1, "must return PROMISE_FULFILL"), (.unknownStreamVerdict, -1, "a verdict on an event"),
      (.unknownPublisher, -1, "must return a publisher"), (.timedOut, -5, "the promise was not settled in time"),
      (.deadline, -5, "the deadline of the token"), (.silent, -5, "no event in time"),
      (.cycle, -6, "would wait for itself"), (.tooManyReferences, -7, "too many references"),
      (.outOfMemory, -7, "memory has run out"), (.closed, -8, "was closed, or dropped"),
      (.full, -9, "more events than it has capacity for"), (.finished, -10, "the stream has finished"),
    ] as [(Fault, Int64, String)])
  func messages(fault: Fault, code: Int64, text: String) {
    let value = fault.value
    defer { value.release() }
    let error = PromiseError(value)
    #expect(error.domain == "promise" && error.code == code && error.message.contains(text), "\(error)")
  }
}
