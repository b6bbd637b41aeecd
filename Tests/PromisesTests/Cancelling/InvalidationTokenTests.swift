import Promises
import PromisesTestSupport
import Testing

@Suite("Invalidation tokens")
struct InvalidationTokenTests {
  private typealias Subject = Future<Int, TestError>

  private func asked(_ log: Recorder<String>, _ name: String) -> (Subject, Resolver<Int, TestError>) {
    let (future, resolver) = Subject.makeWithResolver()
    resolver.onCancelRequest {
      log.record(name)
      $0.cancel()
    }
    return (future, resolver)
  }

  @Test("T71: the last release invalidates and cancels the token and its chained tokens, unless it opts out")
  func dropping() {
    for automatic in [true, false] {
      let log = Recorder<String>()
      let (future, resolver) = asked(log, "asked")
      let (chained, other) = asked(log, "chained")
      let child = InvalidationToken()
      child.requestCancelOnInvalidate(chained)
      var token: InvalidationToken? = InvalidationToken(invalidateOnDeinit: automatic)
      token?.requestCancelOnInvalidate(future)
      child.chainInvalidation(from: token!)
      future.onCancel(token: token) { _ in log.record("heard") }
      token = nil
      #expect(log.events == (automatic ? ["asked", "chained"] : []))
      withExtendedLifetime((resolver, other, child)) {}
    }
  }

  @Test("a deadline cancels a token and those chained to it, without invalidating them; the earliest deadline counts")
  func deadlines() async throws {
    let log = Recorder<String>()
    let (future, resolver) = asked(log, "asked")
    let token = InvalidationToken()
    let (parent, silent) = (InvalidationToken(), InvalidationToken())
    #expect(token.chainInvalidation(from: parent))
    #expect(silent.chainInvalidation(from: parent, includingCancelWithoutInvalidating: false))
    #expect(token.secondsLeft == nil)
    parent.cancel(after: 3600)
    let left = try #require(token.secondsLeft)
    #expect(left > 3000 && left <= 3600)
    #expect(silent.secondsLeft == nil)
    token.requestCancelOnInvalidate(future)
    let heard = future.onCancel(token: token) { _ in log.record("heard") }
    parent.cancel(after: 7200)
    #expect(try #require(parent.secondsLeft) <= 3600)
    parent.cancel(after: 0.001)
    await heard.settled()
    #expect(log.events == ["asked", "heard"])
    #expect(try #require(token.secondsLeft) <= 0)
    let (late, other) = asked(log, "late")
    token.requestCancelOnInvalidate(late)
    #expect(late.isSettled)
    withExtendedLifetime((resolver, other, silent)) {}
  }

  @MainActor @Test("a deadline cancels on auto without a context, or where it is immediate", arguments: [false, true])
  func deadlineOnMain(hasContext: Bool) async {
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    let places = Recorder<Bool>()
    resolver.onCancelRequest {
      places.record(isOnMainQueue())
      $0.cancel()
    }
    let token = InvalidationToken()
    token.requestCancelOnInvalidate(future)
    if hasContext { token.cancel(on: .immediate, after: 0.001) } else { token.cancel(after: 0.001) }
    await future.settled()
    #expect(places.events == [true])
  }

  @Test("T72: neither a callback nor a future retains its token")
  func keepsNothing() {
    let (future, resolver) = Subject.makeWithResolver()
    weak var weakToken: InvalidationToken?
    do {
      let token = InvalidationToken()
      weakToken = token
      future.onSuccess(token: token) { _ in Issue.record("called after the token was dropped") }
      token.requestCancelOnInvalidate(future)
      #expect(weakToken != nil)
      withExtendedLifetime(token) {}
    }
    #expect(weakToken == nil)
    resolver.fulfill(1)
  }

  @Test("T73: invalidation silences the callbacks, then asks each future once, in order; the token stays usable")
  func invalidate() {
    let log = Recorder<String>()
    let token = InvalidationToken()
    let pairs = ["a", "b", "c"].map { asked(log, $0) }
    for (future, _) in pairs {
      token.requestCancelOnInvalidate(future)
      future.onComplete(token: token) { _ in log.record("silenced") }
    }
    token.invalidate()
    #expect(log.events == ["a", "b", "c"])
    token.invalidate()
    #expect(log.events.count == 3)
    let (later, resolver) = Subject.makeWithResolver()
    later.onSuccess(token: token) { log.record("\($0)") }
    resolver.fulfill(4)
    #expect(log.events.last == "4")
    withExtendedLifetime(pairs) {}
  }

  @Test("T74: cancelling without invalidating asks the futures to cancel and lets their callbacks run")
  func cancelWithoutInvalidating() {
    let log = Recorder<String>()
    let token = InvalidationToken()
    let (future, resolver) = asked(log, "asked")
    future.onCancel(token: token) { _ in log.record("heard") }
    token.requestCancelOnInvalidate(future)
    token.cancelWithoutInvalidating()
    #expect(log.events == ["asked", "heard"])
    withExtendedLifetime(resolver) {}
  }

  @Test("T69, T75: a token retains none of its futures, and any number can be registered")
  func weakly() {
    let token = InvalidationToken()
    weak var weakFuture: Subject?
    do {
      let (future, _) = Subject.makeWithResolver()
      weakFuture = future.requestCancelOnInvalidate(token)
      #expect(weakFuture === future)
    }
    #expect(weakFuture == nil)
    withLifetimeTracking { tracker in
      // A promise's future: the future of a resolver would be cancelled when the resolver is released.
      let pending = Promise<Int>()
      pending.then({ [tracked = tracker.track()] _ in tracked.touch() }, nil)
      pending.future.requestCancelOnInvalidate(token)
    }
    let log = Recorder<String>()
    let pairs = (0..<50).map { asked(log, "\($0)") }
    for (future, _) in pairs { future.requestCancelOnInvalidate(token) }
    token.invalidate()
    #expect(log.events == (0..<50).map(String.init))
    withExtendedLifetime(pairs) {}
  }

  @Test("T76: chained tokens are invalidated with their parent, the latest first, each time; a cycle is refused")
  func chaining() {
    let log = Recorder<String>()
    let (parent, first, second, third) = (
      InvalidationToken(), InvalidationToken(), InvalidationToken(), InvalidationToken()
    )
    #expect(first.chainInvalidation(from: parent))
    #expect(second.chainInvalidation(from: parent, includingCancelWithoutInvalidating: false))
    #expect(third.chainInvalidation(from: second))
    #expect(!parent.chainInvalidation(from: third) && !parent.chainInvalidation(from: parent))
    var kept: [Subject] = []
    func register() -> [Resolver<Int, TestError>] {
      zip(["p", "1", "2", "3"], [parent, first, second, third]).map { name, token in
        let (future, resolver) = asked(log, name)
        future.requestCancelOnInvalidate(token)
        kept.append(future)
        return resolver
      }
    }
    var resolvers = register()
    parent.cancelWithoutInvalidating()
    #expect(log.events == ["p", "1"])
    parent.invalidate()
    #expect(log.events == ["p", "1", "2", "3"])
    resolvers += register()
    parent.invalidate()
    #expect(log.events == ["p", "1", "2", "3", "p", "2", "3", "1"])
    withExtendedLifetime(resolvers) {}
  }

  @Test("T73, T76: futures and tokens that a request to cancel adds to the token wait for its next invalidation")
  func addingInside() {
    let log = Recorder<String>()
    let (parent, late) = (InvalidationToken(), InvalidationToken())
    let (registered, chained) = (asked(log, "registered"), asked(log, "chained"))
    chained.0.requestCancelOnInvalidate(late)
    let (future, resolver) = Subject.makeWithResolver()
    resolver.onCancelRequest { _ in
      log.record("adding")
      registered.0.requestCancelOnInvalidate(parent)
      #expect(late.chainInvalidation(from: parent))
    }
    future.requestCancelOnInvalidate(parent)
    parent.invalidate()
    #expect(log.events == ["adding"])
    parent.invalidate()
    #expect(log.events == ["adding", "registered", "chained"])
    withExtendedLifetime((registered, chained)) {}
  }

  @Test("T77: entries of destroyed futures are dropped from the front")
  func pruning() {
    let token = InvalidationToken()
    func futures() -> Substring { token.length(of: "futures") }
    for _ in 0..<100 { token.requestCancelOnInvalidate(Subject.makeWithResolver().future) }
    #expect(futures() == "1")
    var kept = (0..<100).map { _ in Subject.makeWithResolver() }
    for (future, _) in kept { token.requestCancelOnInvalidate(future) }
    #expect(futures() == "100")
    kept = []
    #expect(futures() == "100")
    let last = Subject.makeWithResolver()
    token.requestCancelOnInvalidate(last.future)
    #expect(futures() == "1")
    let behind = (0..<100).map { _ in Subject.makeWithResolver() }
    for (future, _) in behind.dropLast(60) { token.requestCancelOnInvalidate(future) }
    for _ in 0..<100 { token.requestCancelOnInvalidate(Subject.makeWithResolver().future) }
    #expect(futures() == "42", "those that live stay: the last, forty, and the newest")
    withExtendedLifetime((last, behind)) {}
  }

  @Test("T77: entries of destroyed tokens are dropped from the front")
  func pruningChained() {
    let token = InvalidationToken()
    func chained() -> Substring { token.length(of: "tokens") }
    for _ in 0..<100 { InvalidationToken().chainInvalidation(from: token) }
    #expect(chained() == "1")
    var kept = (0..<100).map { _ in InvalidationToken() }
    for child in kept { child.chainInvalidation(from: token) }
    #expect(chained() == "100")
    kept = []
    let last = InvalidationToken()
    last.chainInvalidation(from: token)
    #expect(chained() == "1")
    withExtendedLifetime(last) {}
  }

  @Test("T77: entries of destroyed objects are dropped although the newest entry is always alive")
  func bounded() {
    let token = InvalidationToken()
    var newest = (Subject.makeWithResolver(), InvalidationToken())
    for _ in 0..<2000 {
      let next = (Subject.makeWithResolver(), InvalidationToken())
      token.requestCancelOnInvalidate(next.0.future)
      next.1.chainInvalidation(from: token)
      newest = next
    }
    #expect(Int(token.length(of: "futures"))! < 100 && Int(token.length(of: "tokens"))! < 100)
    withExtendedLifetime(newest) {}
  }

  @Test("T78, T79: tokens are equal by identity, and their description identifies them")
  func identity() {
    let (one, other) = (InvalidationToken(), InvalidationToken())
    let tokens = Set([one, one, other])
    #expect(one == one && one != other && tokens.count == 2)
    #expect("\(one)".hasPrefix("<InvalidationToken: 0x") && "\(one)" != "\(other)")
    let hash = one.hashValue
    one.invalidate()
    #expect(tokens.contains(one) && one.hashValue == hash)
    #expect(one.debugDescription.hasPrefix("\(one)".dropLast()))
    #expect(one.debugDescription.contains("generation=1 futures=0 tokens=0"))
  }

  @Test("T70: destroying an owner requests cancellation of its futures")
  func owner() {
    final class Owner: CancelOwner { let cancelsOnDeinit = InvalidationToken() }
    let log = Recorder<String>()
    let (future, resolver) = asked(log, "asked")
    var owner: Owner? = Owner()
    #expect(future.requestCancelOnDeinit(owner!) == future)
    #expect(log.events.isEmpty)
    owner = nil
    #expect(log.events == ["asked"])
    withExtendedLifetime(resolver) {}
  }
}

@Suite("Pools of objects that can be cancelled")
struct CancellationPoolTests {
  final class Item: Cancellable {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    func requestCancel() { body() }
  }

  @Test("D54, D55, D56: draining asks each object in order, once for each addition, and leaves the pool empty")
  func drain() {
    let log = Recorder<Int>()
    let pool = CancellationPool()
    let items = (0..<3).map { index in Item { log.record(index) } }
    pool.add(items[0])
    pool.add(contentsOf: [items[1], items[1], items[2]])
    weak var gone: Item?
    do {
      let item = Item { Issue.record("kept") }
      gone = item
      pool.add(item)
    }
    #expect(gone == nil)
    pool.drain()
    #expect(log.events == [0, 1, 1, 2])
    pool.drain()
    #expect(log.events.count == 4)
    pool.add(items[2])
    pool.drain()
    #expect(log.events.last == 2 && log.events.count == 5)
    withExtendedLifetime(items) {}
  }

  @Test("D56: a pool may be used from within a request that it makes")
  func reentrant() {
    let log = Recorder<String>()
    let pool = CancellationPool()
    let later = Item { log.record("later") }
    let item = Item {
      log.record("first")
      pool.add(later)
      pool.drain()
    }
    pool.add(item)
    pool.drain()
    #expect(log.events == ["first", "later"])
    withExtendedLifetime((item, later)) {}
  }

  @Test("D57, D54: draining asks a future in the pool; the source of one that ignores requests is not asked")
  func futures() {
    // Keep no other reference to the future, which would hold back the request too.
    let resolver = Resolver<Int, Never>()
    var asked = 0
    resolver.onCancelRequest { _ in asked += 1 }
    let downstream = resolver.future.ignoringCancel().cancellingImmediatelyUponRequest()
    let pool = CancellationPool()
    pool.add(downstream)
    pool.drain()
    #expect(downstream.result?.isCancelled == true)
    #expect(asked == 0 && !resolver.future.isSettled)
    pool.add(resolver.future)
    pool.drain()
    #expect(asked == 1)
    withExtendedLifetime((downstream, resolver)) {}
  }

  @Test("D55: a future stays in the pool while its work runs, also after the added object is destroyed")
  func wrappers() {
    let requests = Recorder<Void>()
    let (future, resolver) = Future<Int, Never>.makeWithResolver()
    resolver.onCancelRequest { _ in requests.record() }
    let promise = future.promise
    let pool = CancellationPool()
    pool.add(promise.future)
    pool.drain()
    #expect(requests.count == 1)
    pool.drain()
    #expect(requests.count == 1)
    withExtendedLifetime(resolver) {}
  }
}

extension InvalidationToken {
  /// Returns the length of `list`, which it reads from the token's description.
  fileprivate func length(of list: String) -> Substring {
    debugDescription.dropLast().split(separator: " ").first { $0.hasPrefix(list) }!.dropFirst(list.count + 1)
  }
}
