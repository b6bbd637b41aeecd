// Wrappers pass closures on with the types of the page on actors: `sending` for one context, `@Sendable` for several,
// `@MainActor` for the main actor.
// Warns in Swift 5 mode, in which a closure of the main actor is `Sendable` only if its type says so.
import Promises

struct Download {
  let future: Future<Int, any Error>

  @discardableResult
  func once(_ callback: sending @escaping (Int) -> Void) -> Future<Int, any Error> {
    future.onSuccess(on: .utility, callback)
  }

  func twice(_ callback: @escaping @Sendable (Int) -> Void) {
    future.onSuccess(on: .utility, callback).onSuccess(on: .background, callback)
  }

  func onMain(_ callback: @escaping @MainActor (Int) -> Void) {
    future.onSuccess(on: .main, callback)
  }

  func inline(_ callback: @escaping (Int) -> Void) {
    future.onSuccess(callback)
  }

  func mapped<Value>(_ transform: sending @escaping (Int) throws -> Value) -> Future<Value, any Error> {
    future.tryMap(on: .utility, transform)
  }
}

final class Log {
  var lines: [Int] = []
}

func record(_ download: Download) {
  let log = Log()
  download.once { log.lines.append($0) }
}
