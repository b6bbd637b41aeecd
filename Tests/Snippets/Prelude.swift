// Declarations that the documentation's snippets use: scripts/check-snippets.sh compiles this file with them.
import Dispatch
import Foundation
import FoundationNetworking
import Promises
import PromisesFoundation

enum AppError: Error {
  case missing, offline
}

let promise = Promise<Int>()
let otherPromise = Promise<String>()
let future = Future<Int, any Error>(fulfilled: 1)
let otherFuture = Future<String, any Error>(fulfilled: "one")
let optionalFuture = Future<Int?, any Error>(fulfilled: 1)
let typedFuture = Future<Int, AppError>(rejected: .missing)
let failingFuture = Future<Int, any Error>(rejected: AppError.offline)
let resolver = Future<Int, any Error>.makeWithResolver().resolver
let publisher = Publisher<Int, any Error>()
let subscriber = publisher.subscriber()
let token = InvalidationToken()
let queue = DispatchQueue(label: "work")
let operations = OperationQueue()
let result = Result<Int, any Error>.success(1)
let json: any Sendable = ["users": [["name": "Ada"]]]

final class Screen: CancelOwner {
  let cancelsOnDeinit = InvalidationToken()
}

final class Measure: FutureTask<String, Int>, @unchecked Sendable {}
let measure = Measure()
let cleanup = FutureTask<Void, Void>()

func use<Value>(_ value: Value) {}
func show(_ value: Any) {}
func log(_ error: any Error) {}
func refresh() {}
func stop() {}
func parse(_ text: String) throws -> Int { text.count }
func double(_ number: Int) -> Int { 2 * number }
func next(_ number: Int) -> Future<Int, any Error> { Future(fulfilled: number + 1) }
func nextPromise(_ number: Int) -> Promise<Int> { .resolve(number + 1) }
func download() async throws -> Int { 1 }
func legacy(_ completion: @Sendable (Int?, (any Error)?) -> Void) { completion(1, nil) }
func search(_ text: String) -> Future<[String], any Error> { Future(fulfilled: [text]) }
