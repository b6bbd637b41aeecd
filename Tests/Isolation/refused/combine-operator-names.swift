// expect: 'sink(receiveValue:)' has been renamed to 'onNewData(_:)'
// The messages for names of Combine suggest those of this library.
import Promises

func names(_ numbers: Subscriber<Int, Never>, _ publisher: Publisher<Int, Never>) {
  _ = numbers.sink { print($0) }  // refused
  _ = numbers.flatMap { .just($0) }  // refused
  _ = numbers.removeDuplicates()  // refused
  _ = numbers.take(1)  // refused
  _ = numbers.collect(2)  // refused
  _ = numbers.prepend(0)  // refused
  _ = numbers.combineLatest(numbers)  // refused
  _ = numbers.share()  // refused
  _ = numbers.receive(on: .main)  // refused
  _ = numbers.replaceError(with: 1)  // refused
  publisher.send(1)  // refused
}
