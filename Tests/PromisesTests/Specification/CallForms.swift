import Promises

// The document's declarations and call forms, letter by letter. That this file compiles is the test: PromisesTests
// compiles it in Swift 6 mode, PromisesSwift5Tests, by a symbolic link, in Swift 5 mode. Values are checked in
// CallFormTests.swift.

struct CallFormError: Error {}

/// 3.1.1: `func then(_ onSuccess: ((T) throws -> ())?, _ onFailure: ((Any?) -> ())?)`
func untypedThen<T>(
  _ promise1: Promise<T>, _ onSuccess: ((T) throws -> ())?, _ onFailure: ((Any?) -> ())?
) {
  promise1.then(onSuccess, onFailure)
  promise1.then(nil, onFailure)
  promise1.then(onSuccess, nil)
}

/// 3.1.2: `func then<O>(_ onSuccess: @escaping (T) throws -> O) -> Promise<O>`
func typedThen<T, O>(_ promise1: Promise<T>, _ success: @escaping (T) throws -> O) -> Promise<O> {
  let promise2: Promise<O>
  promise2 = promise1.then(success)
  return promise2
}

/// 3.1.3: `func then<O>(async onSuccess: @escaping (T) throws -> Promise<O>) -> Promise<O>`
func asyncThen<T, O>(_ promise1: Promise<T>, _ success: @escaping (T) throws -> Promise<O>) -> [Promise<O>] {
  let promise2: Promise<O>
  promise2 = promise1.then(success)
  return [promise2, promise1.then(async: success)]
}

/// 3.2.1: `func rescue<E>(_ onError: @escaping (E) -> ())`
func voidRescue<T, E>(_ promise1: Promise<T>, _ onError: @escaping (E) -> ()) {
  promise1.rescue(onError)
}

/// 3.2.2: `func rescue<E, O>(_ onError: @escaping (E) throws -> O) -> Promise<O>`
func rescue<T, E, O>(_ promise1: Promise<T>, _ handler: @escaping (E) throws -> O) -> Promise<O> {
  let promise2: Promise<O>
  promise2 = promise1.rescue(handler)
  return promise2
}

/// 3.2.3: `func rescue<E, O>(_ onError: @escaping (E) throws -> Promise<O>) -> Promise<O>`
func asyncRescue<T, E, O>(_ promise1: Promise<T>, _ handler: @escaping (E) throws -> Promise<O>) -> [Promise<O>] {
  let promise2 = promise1.rescue(handler)
  return [promise2, promise1.rescue(async: handler)]
}

/// 3.3.1: `init()`
func defaultInitializer<T>(_: T.Type) -> Promise<T> {
  let promise: Promise<T> = Promise()
  promise.chain(after: Promise<T>())
  return promise
}

/// 3.3.2: `init(_ block: @escaping (_ resolve: @escaping (T) -> (), _ reject: @escaping (Any?) -> ()) -> ())`
func blockInitializer<T>(
  _ myBlock:
    @escaping (
      _ resolve: @escaping (T) -> (),
      _ reject: @escaping (Any?) -> ()
    ) -> ()
) -> Promise<T> {
  let promise = Promise<T>(myBlock)
  return promise
}

/// 3.3.2 with the block in place, as its users write it.
func blockInitializerInPlace() -> Promise<Int> {
  Promise<Int> { resolve, reject in
    if Bool.random() { resolve(1) } else { reject(CallFormError()) }
  }
}

/// 3.3.3: `init(discard block: @escaping () -> ())`
func discardInitializer<T>(_: T.Type, _ block: @escaping () -> ()) -> Promise<T> {
  Promise<T>(discard: block)
}

/// 3.3.2 and 3.3.3: blocks without parameters select by the label.
func bodiesAndBlocks(_ log: @escaping (String) -> ()) -> [Promise<Int>] {
  [
    Promise<Int> { 1 },
    Promise {
      log("body")
      return 2
    },
    Promise<Int>(discard: { log("discard") }),
    Promise<Int>(discard: { log("discard") }) { resolve, _ in resolve(3) },
    Promise { throw CallFormError() },
  ]
}

/// 3.4.1: `func resolve(_ value: T)`, 3.4.2: `func reject(_ reason: Any?)`
func resolution<T>(_ promise: Promise<T>, _ value: T, _ reason: Any?) {
  promise.resolve(value)
  promise.reject(reason)
  promise.reject(nil)
  promise.reject(CallFormError())
}

/// 3.5: `func discard()`
func discarding<T>(_ promise: Promise<T>) {
  promise.discard()
}

/// The signatures as the document declares them: each is the type of a reference to the method.
func signatures<T, E, O>(_ promise: Promise<T>, _: E.Type, _: O.Type) {
  let _: (((T) throws -> ())?, ((Any?) -> ())?) -> () = promise.then(_:_:)
  let _: (@escaping (T) throws -> O) -> Promise<O> = promise.then(_:)
  let _: (@escaping (T) throws -> Promise<O>) -> Promise<O> = promise.then(async:)
  let _: (@escaping (E) -> ()) -> () = promise.rescue(_:)
  let _: (@escaping (E) throws -> O) -> Promise<O> = promise.rescue(_:)
  let _: (@escaping (E) throws -> Promise<O>) -> Promise<O> = promise.rescue(_:)
  let _: () -> Promise<T> = Promise<T>.init
  let _: (@escaping (@escaping (T) -> (), @escaping (Any?) -> ()) -> ()) -> Promise<T> = Promise<T>.init(_:)
  let _: (@escaping () -> ()) -> Promise<T> = Promise<T>.init(discard:)
  let _: (T) -> () = promise.resolve(_:)
  let _: (Any?) -> () = promise.reject(_:)
  let _: () -> () = promise.discard
}
