import Testing

@testable import Promises

@Suite("Engine: the end of a publisher's subscribers, but not of the publisher")
struct EndedSubscribers {
  @Test("ready() is fulfilled when the full subscriber gets an end before the end of the stream")
  func ready() throws {
    let publisher = try #require(CellPublisher.make(isStateful: false))
    var subscription = unsafe Subscription(.promises(Context(nil, nil)))
    subscription.capacity = 1
    let subscriber = try #require(publisher.subscribe(subscription))
    #expect(publisher.publish(StreamEvent(.void, .fulfilled)) == .full)
    let ready = try #require(publisher.ready())
    #expect(!ready.state.isSettled)
    publisher.endSubscribers(.cancelled)
    #expect(publisher.hasRoom && ready.state.isSettled)
    ready.release()
    subscriber.releaseHandle()
    publisher.releaseHandle()
  }
}
