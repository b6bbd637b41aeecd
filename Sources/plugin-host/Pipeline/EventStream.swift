import PluginRuntime
import Promises
import Synchronization

/// The events of a running step: the arguments of one of its callbacks, call by call. Each step that takes events gets
/// all of them. The callback waits while the buffer of one of these steps is full.
final class EventStream: Sendable {
  private let publisher = Publisher<PluginValue, Never>()
  /// The steps that take events, by their numbers.
  private let consumers: [Int: EventConsumer]
  /// The slots of the calls. A callback gives back the slot of its call while it waits.
  private let slots: Slots
  /// The calls that give events, by their ids, and the reason why no more are taken.
  private let producers = Mutex<(calls: [Int: TimedCall], end: CallFailure?)>(([:], nil))

  init(capacity: Int, consumers: [Int], slots: Slots) {
    self.slots = slots
    let subscriber = publisher.subscriber()
    self.consumers = Dictionary(
      uniqueKeysWithValues: consumers.map { ($0, EventConsumer(subscriber, capacity: capacity)) })
  }

  func consumer(_ number: Int) -> EventConsumer? { consumers[number] }

  /// Ends the stream. Steps still get the events that were published before.
  func finish() { publisher.cancelAll() }

  /// Ends the stream because a step cannot take any more, and gives up the calls that give events.
  func finish(because reason: CallFailure) {
    let calls = producers.withLock { producers in
      producers.end = producers.end ?? reason
      return producers.calls.values
    }
    // Before their callbacks fail: that is not why they end.
    for call in calls { call.giveUp(reason) }
    publisher.cancelAll()
  }

  /// Adds a call that publishes events; gives it up if the stream has ended early.
  func begin(_ call: TimedCall, _ id: Int) {
    let reason = producers.withLock { producers in
      producers.calls[id] = call
      return producers.end
    }
    if let reason { call.giveUp(reason) }
  }

  /// Removes an ended call.
  func end(_ id: Int) { producers.withLock { _ = $0.calls.removeValue(forKey: id) } }

  /// Returns the callback that publishes an event, on the thread of the plugin that calls it.
  func callback(_ outlet: PipelinePlan.Outlet) -> PluginCallback {
    PluginCallback { [self] arguments in
      switch publisher.publish(Self.event(arguments, outlet.type)) {
      case .published: break
      case .full: waitForCapacity()
      case .cancelled:
        let reason = producers.withLock(\.end).map { "\($0)" } ?? "the step has ended"
        throw CallbackFailure(description: "the callback \(outlet.parameter): \(reason)")
      }
      return outlet.returned
    }
  }

  private func waitForCapacity() {
    slots.leave()
    defer { slots.enterWaiting() }
    // The end of the stream ends this wait, too. The next call of the callback then fails.
    _ = try? publisher.ready().wait()
  }

  /// Makes an event of arguments: a single one as it is; several as an object of their names, or as a list if one has
  /// no name.
  private static func event(_ arguments: [PluginValue], _ type: CallbackType) -> PluginValue {
    let names = type.closureParameters.compactMap(\.name)
    switch arguments.count {
    case 0: return .void
    case 1: return arguments[0]
    case names.count: return .object(zip(names, arguments).map { PluginMember($0, $1) })
    default: return .array(arguments)
    }
  }
}

extension CallbackType {
  /// The type of the events that the callback's calls are.
  var eventShape: ResultShape {
    let parameters = closureParameters
    switch parameters.count {
    case 0: return .nothing
    case 1: return .type(parameters[0].type)
    case parameters.compactMap(\.name).count:
      return .object(parameters.map { ($0.name ?? "", .type($0.type)) })
    default: return .any
    }
  }
}

/// A step's side of a stream. Events are buffered until the step begins, and then while it is busy.
final class EventConsumer: Sendable {
  /// Receives the events, then nil at the end.
  typealias Receiver = @Sendable (PluginValue?) -> Void

  private final class Inbox: Sendable {
    /// A struct, because each access to a tuple would wrap its closure anew, so that each event would take longer than
    /// the last.
    struct State {
      var receiver: Receiver?
      var hasEnded = false
    }

    let state = Mutex(State())

    /// The end may arrive before the step begins; events arrive only after they were requested.
    func take(_ event: StreamState<PluginValue, Never>) {
      let receiver = state.withLock { state in
        if event.value == nil { state.hasEnded = true }
        return state.receiver
      }
      receiver?(event.value)
    }
  }

  private let inbox = Inbox()
  private let subscription: StreamSubscription

  fileprivate init(_ subscriber: Subscriber<PluginValue, Never>, capacity: Int) {
    subscription = subscriber.subscribe(demand: 0, buffer: .bounded(capacity)) { [inbox] in inbox.take($0) }
  }

  /// Starts to take events, of which `count` may be in progress at the same time.
  func begin(_ count: Int, _ receiver: @escaping Receiver) {
    let hasEnded = inbox.state.withLock { state in
      state.receiver = receiver
      return state.hasEnded
    }
    if hasEnded { receiver(nil) }
    subscription.request(count)
  }

  /// Requests another event.
  func next() { subscription.request(1) }

  /// Stops taking events. Other steps continue to take them.
  func leave() { subscription.cancel() }
}
