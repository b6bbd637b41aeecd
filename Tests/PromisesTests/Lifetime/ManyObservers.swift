import Promises
import PromisesTestSupport
import Testing

@Suite("Many observers")
struct ManyObservers {
  private static let count = Scale.million

  @Test("a million callbacks of one promise run in order, each once")
  func order() {
    onThread {
      var next = 0
      var inOrder = true
      let promise = Promise<Int>()
      for index in 0..<Self.count {
        promise.then(
          { value in
            inOrder = inOrder && index == next && value == 5
            next += 1
          }, nil)
      }
      promise.resolve(5)
      #expect(inOrder)
      #expect(next == Self.count)
    }
  }

  @Test("a million promises derived from one settle, and are released when it is abandoned")
  func derived() {
    onThread {
      var sum = 0
      let promise = Promise<Int>()
      let all = (0..<Self.count).map { index in promise.then { $0 + index } }
      promise.resolve(1)
      for (index, derived) in all.enumerated() where derived.value == index + 1 { sum += 1 }
      #expect(sum == Self.count)
    }
    withLifetimeTracking { tracker in
      onThread {
        let promise = Promise<Int>()
        for _ in 0..<Self.count {
          let held = tracker.track()
          promise.then({ _ in held.touch() }, nil)
        }
        #expect(tracker.live == Self.count)
      }
    }
  }
}
