// expect: 'map' has been renamed to 'mapValues(_:)'
// An operator of streams has the kind of its states in its name: the message for a short name has the one for values.
import Promises

func doubled(_ numbers: Subscriber<Int, Never>) -> Subscriber<Int, Never> {
  numbers.map { $0 * 2 }
}
