// expect: converting function value of type '@MainActor @Sendable (Int) -> Void' to '(Int) -> Void' loses global actor
// A wrapper cannot pass a closure of the main actor to another context.
import Promises

func observe(_ future: Future<Int, Never>, _ callback: @escaping @MainActor (Int) -> Void) {
  future.onSuccess(on: .utility, callback)
}
