import Promises
import PromisesTestSupport
import Testing

@Suite("1 Terminology")
struct Terminology {
  @Test("1.1 a promise is an instance of the generic class Promise")
  func promise() {
    let promise = Promise<Int>()
    let same = promise
    same.resolve(1)
    #expect(promise === same)
    #expect(promise.value == 1)
    #expect(ObjectIdentifier(promise) == ObjectIdentifier(same))
  }

  @Test("1.2 a value is any Swift value, nil and a promise included")
  func value() throws {
    let absent = Promise<Int?>.resolve(nil)
    #expect(absent.state == .fulfilled)
    #expect(absent.value == .some(.none))

    let inner = Promise<Int>()
    let outer = Promise<Promise<Int>>.resolve(inner)
    #expect(outer.value === inner)
    #expect(inner.state == .pending)

    let large = (1, "two", [3.0], Identity(), UInt8(4))
    let tuple = try #require(Promise<(Int, String, [Double], Identity, UInt8)>.resolve(large).value)
    #expect((tuple.0, tuple.1, tuple.4) == (1, "two", 4))
    #expect(tuple.2 == [3.0])
    #expect(tuple.3 === large.3)

    #expect(Promise<() -> Int>.resolve { 5 }.value?() == 5)
    #expect(Promise<Void>.resolve(()).value != nil)
    #expect(Promise<Any>.resolve("any").value as? String == "any")
    #expect(Promise<any Error>.resolve(TestError(6)).value as? TestError == TestError(6))
    #expect(Promise<[String: Any?]>.resolve(["key": nil]).value?.keys.first == "key")
  }

  @Test("1.3 an error is an instance of any type that conforms to Error")
  func error() {
    final class ClassError: Error {}
    enum EnumError: Error, Equatable { case plain, payload(String) }

    let object = ClassError()
    let source = Promise<Int>.resolve(1)
    #expect(source.then { _ -> Int in throw object }.rejectReason as? ClassError === object)
    #expect(source.then { _ -> Int in throw TestError(2) }.rejectReason as? TestError == TestError(2))
    #expect(source.then { _ -> Int in throw EnumError.payload("x") }.rejectReason as? EnumError == .payload("x"))
    #expect(source.then { _ -> Int in throw EnumError.plain }.rejectReason as? EnumError == .plain)
  }

  @Test("1.4 a reason is any value, and explains why a promise was rejected")
  func reason() {
    let object = Identity()
    #expect(Promise<Int>.reject(TestError(1)).rejectReason as? TestError == TestError(1))
    #expect(Promise<Int>.reject("text").rejectReason as? String == "text")
    #expect(Promise<Int>.reject(404).rejectReason as? Int == 404)
    #expect(Promise<Int>.reject(object).rejectReason as? Identity === object)
    #expect((Promise<Int>.reject((1, "one")).rejectReason as? (Int, String))?.1 == "one")
    let none = Promise<Int>.reject(nil)
    #expect(none.state == .rejected)
    #expect(none.rejectReason == nil)
  }
}
