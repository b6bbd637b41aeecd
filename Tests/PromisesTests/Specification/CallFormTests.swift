import Promises
import PromisesTestSupport
import Testing

/// The behaviour of the call forms of CallForms.swift.
@Suite("The document's call forms")
struct CallFormTests {
  @Test("each form of then calls its closure with the value or the reason")
  func then() {
    let log = Recorder<String>()
    let source = Promise<Int>.resolve(1)
    untypedThen(source, { log.record("success \($0)") }, { _ in log.record("failure") })
    untypedThen(Promise<Int>.reject(2), { _ in log.record("success") }, { log.record("failure \($0 as? Int ?? -1)") })
    #expect(log.events == ["success 1", "success 1", "failure 2", "failure 2"])
    #expect(typedThen(source) { "\($0)" }.value == "1")
    #expect(asyncThen(source) { .resolve("\($0)") }.map(\.value) == ["1", "1"])
  }

  @Test("each form of rescue calls its closure with the error")
  func rescues() {
    let log = Recorder<Int>()
    let source = Promise<Int>.reject(TestError(1))
    voidRescue(source) { (error: TestError) in log.record(error.code) }
    #expect(log.events == [1])
    #expect(rescue(source) { (error: TestError) in "\(error.code)" }.value == "1")
    #expect(asyncRescue(source) { (error: TestError) in .resolve("\(error.code)") }.map(\.value) == ["1", "1"])
  }

  @MainActor @Test("each initializer makes a promise that is settled as its block says")
  func initializers() async {
    let calls = Recorder<Void>()
    #expect(defaultInitializer(Int.self).state == .pending)
    let promise = blockInitializer { (resolve, _) in resolve("block") }
    let either = blockInitializerInPlace()
    let discardable = discardInitializer(Int.self) { calls.record() }
    discarding(discardable)
    #expect(calls.count == 1)
    await mainQueueDrained()
    #expect(promise.value == "block")
    #expect(either.state == .fulfilled ? either.value == 1 : either.rejectReason is CallFormError)
  }

  @Test("a closure without parameters and label is the body; with the label it is the discard block")
  @MainActor
  func bodies() async {
    let log = Recorder<String>()
    let promises = bodiesAndBlocks { log.record($0) }
    #expect(promises.allSatisfy { $0.state == .pending } && log.events == [])
    await mainQueueDrained()
    #expect(promises.map(\.value) == [1, 2, nil, 3, nil])
    #expect(promises[2].state == .pending && promises[4].rejectReason is CallFormError)
    #expect(log.events == ["body"])
    let void = Promise<Void> { log.record("void") }
    await mainQueueDrained()
    #expect(void.state == .fulfilled && log.events == ["body", "void"])
    promises[2].discard()
    #expect(log.events == ["body", "void", "discard"])
  }

  @Test("a promise is settled by the first call of resolve and reject")
  func resolves() {
    let promise = Promise<Int>()
    resolution(promise, 1, "no")
    #expect(promise.value == 1)
    signatures(promise, TestError.self, String.self)
  }
}
