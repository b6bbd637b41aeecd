// expect: 'map' has been renamed to 'mapValues(_:)'
// Names of stream operators contain the kind of their states: the message for a short name suggests the one for values.
import Promises

func doubled(_ numbers: Subscriber<Int, Never>) -> Subscriber<Int, Never> {
  numbers.map { $0 * 2 }
}
