// Callbacks in a context may use Sendable values, and hop to an actor by themselves.
import Promises

actor Log {
  var lines: [String] = []
  func add(_ line: String) { lines.append(line) }
}

func follow(_ future: Future<Int, any Error>, _ log: Log, _ callback: @escaping @Sendable (Int) -> Void) {
  let limit = 10
  future.map(on: .utility) { min($0, limit) }
    .onSuccess(on: .default, callback)
    .onSuccess(on: .utility) { value in Task { await log.add("\(value)") } }
    .onError(on: .background) { error in print(error) }
    .onEither(on: .default) { result in callback((try? result.get()) ?? 0) }
    .onCancel(on: .utility) { callback(limit) }
    .onComplete(on: .nowOr(.main)) { result in callback(result.value ?? 0) }
}
