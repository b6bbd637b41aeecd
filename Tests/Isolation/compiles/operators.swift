// rows: EA29
// The operator &&& binds tighter than |||, and both group from the left.
import Promises

func grouped(_ one: Promise<Int>, _ two: Promise<String>, _ three: Promise<Bool>) {
  let _: Promise<((Int, String), Bool)> = one &&& two &&& three
  let _: Promise<Any> = one ||| two ||| three
  let _: Promise<Any> = one &&& two ||| three
  let _: Promise<Any> = one ||| two &&& three
}
