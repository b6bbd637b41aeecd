// A trailing closure that returns a promise selects the overload that follows the promise. In parentheses, the promise
// is a value.
// rows: EA11
import Promises

func trailing(_ source: Promise<Int>) -> Promise<String> {
  let derived = source.then { value in Promise<String>.resolve("\(value)") }
  let always = source.anyway { _ in Promise<String>.resolve("") }
  return derived.then { (_: String) in always }
}

func parenthesised(_ source: Promise<Int>, _ success: @escaping (Int) throws -> Promise<String>) {
  let labelled = source.then(async: success)
  let nested = source.then(success)
  let void = source.then({ (_: Int) in })
  _ = labelled.then { (value: String) in value }
  _ = nested.then { (value: Promise<String>) -> Bool in value.state == .pending }
  _ = void.then { (_: ()) in 1 }
}
