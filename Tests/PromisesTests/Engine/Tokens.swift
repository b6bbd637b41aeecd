import Testing

@testable import Promises

@Suite("Engine: tokens that cancel and silence")
struct Tokens {
  private let token = CancelToken.make(invalidatesWhenDropped: false)!

  @Test("T73, T74: an invalidation starts a generation and asks each promise once, in order; cancelling starts none")
  func invalidation() {
    final class Log { var order: [Int] = [] }
    let log = Log()
    let promises = (0..<3).map { index in
      let promise = Promise<Int>()
      let box = LogEntry(log: { log.order.append(index) })
      _ = unsafe promise.cell.onCancelRequest(
        { context, _ in unsafe Unmanaged<LogEntry>.fromOpaque(context!).takeUnretainedValue().log() },
        Context(Unmanaged.passRetained(box).toOpaque()) { unsafe Unmanaged<LogEntry>.fromOpaque($0!).release() })
      return promise
    }
    for promise in promises { #expect(token.add(promise.cell)) }
    let before = token.generation
    _ = token.cancelWithoutInvalidating()
    #expect(token.generation == before)
    #expect(log.order == [0, 1, 2])
    _ = token.invalidate()
    #expect(token.generation == before + 1)
    #expect(log.order == [0, 1, 2])
    token.releaseHandle()
  }

  private final class LogEntry {
    let log: () -> Void
    init(log: @escaping () -> Void) { self.log = log }
  }

  @Test("the token of a call is never taken for one that the same walk has visited, though numbers of walks repeat")
  func repeatedWalk() {
    // Other tests may take numbers at the same time, so one attempt may miss.
    for _ in 0..<100 {
      let promise = Promise<Int>()
      #expect(token.add(promise.cell))
      token.ref.firstHalf = CancelToken.newWalk() &+ 2
      _ = token.invalidate()
      #expect(promise.cell.isCancelRequested)
    }
    token.releaseHandle()
  }

  @Test("T76: a chained token is cancelled with its parent, the latest chained first; a cycle is rejected")
  func chains() {
    let child = CancelToken.make(invalidatesWhenDropped: false)!
    let quiet = CancelToken.make(invalidatesWhenDropped: false)!
    #expect(child.chain(to: token, includingCancel: true) == .chained)
    #expect(quiet.chain(to: child, includingCancel: false) == .chained)
    #expect(token.chain(to: quiet, includingCancel: true) == .cycle)
    #expect(token.chain(to: token, includingCancel: true) == .cycle)
    let promise = Promise<Int>()
    let other = Promise<Int>()
    #expect(child.add(promise.cell) && quiet.add(other.cell))
    _ = token.cancelWithoutInvalidating()
    #expect(promise.cell.isCancelRequested && !other.cell.isCancelRequested)
    _ = token.invalidate()
    #expect(other.cell.isCancelRequested)
    #expect([child, quiet].map(\.generation) == [1, 1])
    for token in [token, child, quiet] { token.releaseHandle() }
  }

  @Test("T77: entries of destroyed promises are dropped from the front")
  func pruning() {
    func add(_ count: Int, keeping kept: inout [Promise<Int>], _ keeps: (Int) -> Bool) {
      for index in 0..<count {
        let promise = Promise<Int>()
        _ = token.add(promise.cell)
        if keeps(index) { kept.append(promise) }
      }
    }
    var kept: [Promise<Int>] = []
    add(100, keeping: &kept) { _ in false }
    #expect(token.count(of: .promises) == 1)
    add(100, keeping: &kept) { $0 == 50 }
    #expect(token.count(of: .promises) == 2)
    add(100, keeping: &kept) { _ in true }
    kept = []
    let before = token.count(of: .promises)
    #expect(before > 100)
    add(1, keeping: &kept) { _ in true }
    #expect(token.count(of: .promises) == 1)
    token.releaseHandle()
  }

  @Test("T71: releasing the last handle invalidates a token that was created with this option")
  func dropping() {
    let automatic = CancelToken.make(invalidatesWhenDropped: true)!
    let promises = [Promise<Int>(), Promise<Int>()]
    _ = automatic.add(promises[0].cell)
    _ = token.add(promises[1].cell)
    #expect(automatic.retainHandle() == .retained)
    automatic.releaseHandle()
    #expect(!promises[0].cell.isCancelRequested)
    automatic.releaseHandle()
    token.releaseHandle()
    #expect(promises.map(\.cell.isCancelRequested) == [true, false])
  }
}
