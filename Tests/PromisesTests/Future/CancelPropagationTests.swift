import Promises
import PromisesTestSupport
import Testing

@Suite("Future: requests to cancel, on their way to the source")
struct CancelPropagationTests {
  private typealias Subject = Future<Int, TestError>

  /// All ways to derive a future whose interest counts.
  private static let counted: [@Sendable (Subject) -> CancelHandle] = [
    { $0.onSuccess { _ in }.cancellable }, { $0.onError { _ in }.cancellable }, { $0.onComplete { _ in }.cancellable },
    { $0.onError(of: TestError.self) { _ in }.cancellable },
    { $0.map { $0 }.cancellable }, { $0.map(on: .utility) { $0 }.cancellable },
    { $0.flatMap { .init(fulfilled: $0) }.cancellable }, { $0.mapError { $0 }.cancellable },
    { $0.flatMapError { .init(rejected: $0) as Subject }.cancellable }, { $0.mapResult { $0 }.cancellable },
    { $0.flatMapResult { .init(with: $0) }.cancellable }, { $0.replaceError { $0.code }.cancellable },
    { $0.tryMap { $0 }.cancellable }, { $0.tryOnSuccess { _ in }.cancellable },
    { $0.tryMapError { $0 }.cancellable }, { $0.tryReplaceError { $0.code }.cancellable },
    { $0.tryMapResult { $0 }.cancellable }, { $0.recover { _ in nil }.cancellable },
    { $0.mapOrCancel { $0 }.cancellable }, { $0.always {}.cancellable }, { $0.upcast.cancellable },
    { $0.makeChild().cancellable }, { $0.additionally { $0 }.cancellable },
    { $0.cancellingImmediatelyUponRequest().cancellable },
    { $0.propagatingCancellation { _ in }.cancellable }, { $0.mapToVoid().cancellable },
  ]

  @Test(
    "T58: a future is asked once all its derived futures were asked and it has no other reference",
    arguments: counted.indices)
  func everyKind(kind: Int) {
    let source = Watched()
    let child = Self.counted[kind](source.future!)
    let other = source.future!.map { $0 }
    source.future = nil
    child.requestCancel()
    #expect(!source.isRequested, "the other is interested")
    other.requestCancel()
    #expect(source.isRequested)
  }

  @Test("T58: the last request may come before or after the last reference is released", arguments: [true, false])
  func eitherOrder(isHeldLonger: Bool) {
    let source = Watched()
    let children = (0..<3).map { _ in source.future!.map { $0 } }
    if !isHeldLonger { source.future = nil }
    for child in children {
      #expect(!source.isRequested)
      child.requestCancel()
    }
    if isHeldLonger {
      #expect(!source.isRequested)
      source.future = nil
    }
    #expect(source.isRequested)
  }

  @Test("T58: dropping a future without observers requests no cancellation, nor does dropping its children alone")
  func unobserved() {
    let unobserved = Watched()
    unobserved.future = nil
    #expect(!unobserved.isRequested)
    let observed = Watched()
    observed.future!.onSuccess { _ in }
    _ = observed.future!.map { $0 }
    observed.future = nil
    #expect(!observed.isRequested)
  }

  @Test("T58: a request on a child counts once; a child that is settled by hand does not count any more")
  func once() {
    let source = Watched()
    let (one, other) = (source.future!.map { $0 }, source.future!.map { $0 })
    source.future = nil
    one.requestCancel()
    #expect(!source.isRequested)
    one.requestCancel()
    #expect(!source.isRequested, "advice is given once")
    other.promise.resolve(1)
    #expect(source.isRequested, "nobody else is left, and who was asked waits for that")
    let left = Watched()
    let (asked, discarded) = (left.future!.map { $0 }, left.future!.map { $0 })
    left.future = nil
    asked.requestCancel()
    discarded.promise.discard()
    #expect(left.isRequested)
    let second = Watched()
    let (first, last) = (second.future!.map { $0 }, second.future!.map { $0 })
    second.future = nil
    first.promise.resolve(1)
    last.requestCancel()
    #expect(second.isRequested)
  }

  @Test("T58: a request propagates to the root of a chain in the call; a root that cancels settles the chain in it")
  func chain() {
    let root = Watched(cancels: true)
    let log = Recorder<String>()
    let last = root.future!.map { $0 }.onSuccess { _ in }.makeChild().mapError { $0 }
      .flatMap { .init(fulfilled: $0) as Subject }.onComplete { log.record("\($0)") }
    root.future = nil
    last.requestCancel()
    #expect(root.isRequested)
    #expect(last.state == .cancelled)
    #expect(log.events == ["cancelled(nil)"])
  }

  @Test("T58: a link with another reference or another child stops the request")
  func stopped() {
    let root = Watched()
    let held = root.future!.map { $0 }
    root.future = nil
    let last = held.map { $0 }
    last.requestCancel()
    #expect(!root.isRequested)
    held.requestCancel()
    #expect(root.isRequested)
  }

  @Test("T58, T41: a request reaches the future that flatMap follows, and the one whose value it waits for")
  func inner() {
    let (outer, inner) = (Watched(), Watched())
    let (first, second) = (inner.future!, Watched())
    let waiting = outer.future!.flatMap { _ in first }
    outer.future = nil
    waiting.requestCancel()
    #expect(outer.isRequested && !inner.isRequested)
    inner.future = nil

    let followed = Subject(fulfilled: 0).flatMap { [weak second] _ in second!.future! }
    second.future = nil
    followed.requestCancel()
    #expect(second.isRequested)
    withExtendedLifetime((first, second)) {}
  }

  @Test("T57, T58: a request before flatMap has a future to follow reaches that future later")
  func innerLater() {
    let inner = Watched()
    let (outer, resolver) = Subject.makeWithResolver()
    let following = outer.flatMap { _ in
      defer { inner.future = nil }
      return inner.future!
    }
    following.requestCancel()
    resolver.fulfill(1)
    #expect(inner.isRequested)
    #expect(following.state == .pending)
  }

  @Test(
    "T58: a timeout, a delay and a flatMap hold back the requests of others until they are asked themselves",
    arguments: 0..<3)
  func waiting(kind: Int) {
    let ways: [(Subject) -> any Cancellable] = [
      { $0.timeout(on: .utility, after: 3600) }, { $0.delay(on: .utility, 3600) },
      { inner in Subject(fulfilled: 0).flatMap { _ in inner } },
    ]
    let source = Watched()
    let other = source.future!.map { $0 }
    let waiting = ways[kind](source.future!)
    source.future = nil
    other.requestCancel()
    #expect(!source.isRequested, "the waiting one is interested")
    waiting.requestCancel()
    #expect(source.isRequested)
  }

  @Test("T59, T60, D49: tap and catch are not interest, and propagate no request")
  func uncounted() {
    let source = Watched()
    let child = source.future!.tap { _ in }.catch { _ in }.map { $0 }
    let tapped = source.future!.tap()
    source.future = nil
    tapped.requestCancel()
    #expect(!source.isRequested)
    child.requestCancel()
    #expect(source.isRequested)

    let alone = Watched()
    let only = alone.future!.tap()
    alone.future = nil
    only.requestCancel()
    #expect(!alone.isRequested)
    alone.resolver.fulfill(3)
    #expect(only.value == 3)
  }

  @Test("D3, D4, D5, D7: in every form, a terminal callback for a result is interest to the end", arguments: 0..<12)
  func terminal(form: Int) {
    let executor = ManualExecutor()
    let terminal: [(Subject) -> Void] = [
      { $0.whenResolved { _ in } }, { $0.whenResolved(on: executor.here) { _ in } },
      { $0.whenResolved(on: .main) { _ in } },
      { $0.whenFulfilled { _ in } }, { $0.whenFulfilled(on: executor.here) { _ in } },
      { $0.whenFulfilled(on: .main) { _ in } },
      { $0.whenRejected { _ in } }, { $0.whenRejected(on: executor.here) { _ in } },
      { $0.whenRejected(on: .main) { _ in } },
      { $0.whenAnyError { _ in } }, { $0.whenAnyError(on: executor.here) { _ in } },
      { $0.whenAnyError(on: .main) { _ in } },
    ]
    let watched = Watched()
    terminal[form](watched.future!)
    let child = watched.future!.map { $0 }
    watched.future = nil
    child.requestCancel()
    #expect(!watched.isRequested)
  }

  @Test(
    "T61: onCancel holds back no request of others; a request on it propagates if it is the only consumer",
    arguments: 0..<4)
  func onCancel(setting: Int) {
    let source = Watched()
    switch setting {
    case 0:
      let quiet = source.future!.onCancel { _ in }
      let child = source.future!.map { $0 }
      source.future = nil
      child.requestCancel()
      #expect(source.isRequested, "the quiet one does not count")
      withExtendedLifetime(quiet) {}
    case 1:
      let quiet = source.future!.onCancel { _ in }
      source.future = nil
      #expect(!source.isRequested, "quiet and alone: nothing happens")
      quiet.requestCancel()
      #expect(source.isRequested)
    case 2:
      let quiet = source.future!.onCancel { _ in }
      let child = source.future!.map { $0 }
      source.future = nil
      quiet.requestCancel()
      #expect(!source.isRequested, "the child is interested")
      child.requestCancel()
      #expect(source.isRequested)
    default:
      let quiet = source.future!.onCancel { _ in }
      quiet.requestCancel()
      #expect(!source.isRequested, "it is held")
      source.future = nil
      #expect(source.isRequested)
    }
  }

  @Test("T62: a source is asked once each of its children was asked")
  func makeChild() {
    let source = Watched()
    let (one, other) = (source.future!.makeChild(), source.future!.makeChild())
    #expect(one != source.future! && one != other)
    source.future = nil
    one.requestCancel()
    #expect(!source.isRequested)
    other.requestCancel()
    #expect(source.isRequested)
    source.resolver.fulfill(1)
    #expect(one.value == 1 && other.value == 1)
  }

  @Test("T63: ignoringCancel holds back requests of other consumers; a request on the future itself is delivered")
  func ignoringCancel() {
    let source = Watched(cancels: true)
    let ignoring = source.future!.ignoringCancel()
    let child = source.future!.map { $0 }
    let handle = source.future!.cancellable
    source.future = nil
    ignoring.requestCancel()
    child.requestCancel()
    #expect(!source.isRequested)
    handle.requestCancel()
    #expect(source.isRequested)
    #expect(ignoring.state == .cancelled)
  }

  @Test("T67: a request on the upcast of a future that cannot fail counts interest like any other")
  func upcastNever() {
    let requests = Recorder<Void>()
    var (future, resolver): (Future<Int, NoError>?, Resolver<Int, NoError>) = Future.makeWithResolver()
    resolver.onCancelRequest { _ in requests.record() }
    let upcast = future!.upcast
    let other = future!.map { $0 }
    upcast.requestCancel()
    #expect(requests.count == 0, "held, and another is interested")
    future = nil
    #expect(requests.count == 0)
    other.requestCancel()
    #expect(requests.count == 1)
    resolver.fulfill(1)
    let second = Resolver<Int, NoError>()
    second.onCancelRequest { _ in requests.record() }
    let both = (second.future.upcast, second.future.map { $0 })
    both.1.requestCancel()
    #expect(requests.count == 1, "the upcast one is interested")
    both.0.requestCancel()
    #expect(requests.count == 2)
  }

  @Test("T68: a cancel handle asks the future, and neither retains it nor holds back requests")
  func cancellable() {
    let source = Watched()
    let handle = source.future!.cancellable
    #expect(handle == source.future!.cancellable)
    let child = source.future!.map { $0 }
    let childHandle = child.cancellable
    source.future = nil
    child.requestCancel()
    #expect(source.isRequested)
    source.resolver.fulfill(1)
    handle.requestCancel()
    childHandle.requestCancel()

    let direct = Watched()
    direct.future!.cancellable.requestCancel()
    #expect(direct.isRequested)
    let gone = { Subject(fulfilled: 1).cancellable }()
    gone.requestCancel()
  }

  @Test("T59, T61, D6, D49: in every form, tap, catch, onCancel and whenCancelled hold back no request")
  func formsWithoutInterest() {
    let executor = ManualExecutor()
    let looking: [(Subject) -> Void] = [
      { $0.tap { _ in } }, { $0.tap(on: executor.here) { _ in } }, { $0.tap(on: .main) { _ in } },
      { $0.catch { _ in } }, { $0.catch(on: executor.here) { _ in } }, { $0.catch(on: .main) { _ in } },
      { $0.whenCancelled { _ in } }, { $0.whenCancelled(on: executor.here) { _ in } },
      { $0.whenCancelled(on: .main) { _ in } },
    ]
    let deriving: [(Subject) -> Subject] = [
      { $0.onCancel { _ in } }, { $0.onCancel(on: executor.here) { _ in } }, { $0.onCancel(on: .main) { _ in } },
      { $0.onCancel {} }, { $0.onCancel(on: executor.here) {} }, { $0.onCancel(on: .main) {} },
    ]
    for index in 0..<looking.count + deriving.count {
      let resolver = Resolver<Int, TestError>()
      let child = resolver.future.map { $0 }
      var derived: Subject?
      if index < looking.count {
        looking[index](resolver.future)
      } else {
        derived = deriving[index - looking.count](resolver.future)
      }
      child.requestCancel()
      #expect(resolver.isCancelRequested, "form \(index)")
      resolver.fulfill(1)
      withExtendedLifetime(derived) {}
    }
  }

  @Test("#28: cancellingImmediatelyUponRequest asks a source without another consumer in the request")
  func immediatelyAlone() {
    let source = Watched()
    let child = source.future!.cancellingImmediatelyUponRequest()
    source.future = nil
    let log = Recorder<FutureState>()
    source.resolver.onCancelRequest { [weak child] _ in log.record(child!.state) }
    child.requestCancel()
    #expect(child.state == .cancelled && source.isRequested)
    #expect(log.events == [.pending], "the source is asked first")
  }

  @Test("#28: cancellingImmediatelyUponRequest is cancelled by the request itself, and asks its source")
  func immediately() {
    let source = Watched()
    let child = source.future!.cancellingImmediatelyUponRequest()
    let other = source.future!.map { $0 }
    source.future = nil
    let log = Recorder<String>()
    child.whenCancelled { _ in log.record("asked: \(source.isRequested)") }
    child.requestCancel()
    #expect(child.state == .cancelled)
    #expect(log.events == ["asked: false"])
    other.requestCancel()
    #expect(source.isRequested)
    source.resolver.fulfill(1)
    #expect(child.state == .cancelled && other.value == 1)
    let passing = Subject(fulfilled: 1).cancellingImmediatelyUponRequest()
    passing.requestCancel()
    #expect(passing.value == 1)
  }
}
