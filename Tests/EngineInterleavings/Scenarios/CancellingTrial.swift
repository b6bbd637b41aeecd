/// One run of a program that requests cancellation of promises.
///
/// `child` and `sibling` are derived from `root`, `grandchild` from `child`. The trial keeps the producer's reference
/// to `root`; `handle` is one more. Handlers count the requests that reach `root` and `inner`.
final class CancellingTrial: Explorable {
  enum Program: CaseIterable {
    /// Cancels the child while the last handle of the root is released.
    case handleGoes
    /// Cancels both children.
    case bothChildren
    /// Cancels the child while the root is settled.
    case settles
    /// Cancels the child while the root is destroyed pending.
    case dies
    /// Cancels the child while the root is destroyed pending; the root's cancel handler settles it.
    case answers
    /// Cancels the root while another cancel handler is attached to it.
    case attaches
    /// Cancels the grandchild while the root is settled.
    case chain
    /// Cancels the grandchild while the child begins to follow another promise.
    case follows
    /// Cancels the grandchild while the child, which has a discard block, is made to follow another promise.
    case followsWithBlock
    /// Cancels the child, which has a discard block and follows the root, while it is settled.
    case linked
    /// Cancels a promise of all of the root and the inner promise, while it is settled.
    case gathered
    /// Cancels the grandchild and the child's sibling, while the handle of the child is released.
    case climbs
    /// Uses a weak reference while the last strong one is released.
    case weak
  }

  static var programs: [Program] { Program.allCases }

  private let program: Program
  private let root = CellRef.promise()!
  private let inner = CellRef.promise()!
  private var child: CellRef!
  private var sibling: CellRef!
  private var grandchild: CellRef!
  private var rootRequests = 0
  private var innerRequests = 0
  private var attachedRequests = 0
  private var live = 0
  private var isGrandchildSettled = false

  init(_ program: Program) {
    self.program = program
    onRequest(root) {
      self.rootRequests += 1
      if program == .answers { self.settle() }
    }
    onRequest(inner) { self.innerRequests += 1 }
    switch program {
    case .followsWithBlock, .linked: child = unsafe CellRef.discardable(nil, Context(nil, nil))
    case .gathered:
      let inputs = [root, inner]
      child = Gather.promise(of: { inputs[$0] }, count: 2, .all) { _, _, _ in .fulfilled }
    default:
      child = root.react { _, _, out in
        if self.program != .follows { return .pass }
        _ = self.inner.retain()
        out = CellValue(kind: .promise, bits: self.inner.token.bits)
        return .adopt
      }
    }
    grandchild = child.react { _, _, _ in .pass }
    switch program {
    // The last release of an unwatched root takes the fast path.
    case .answers: sibling = CellRef.promise()!
    // A request that waited for the sibling would reach the root alone.
    case .gathered: sibling = CellRef.promise()!
    default: sibling = root.react { _, _, _ in .pass }
    }
    switch program {
    case .handleGoes:
      _ = root.retain()
      sibling.requestCancel()
    case .bothChildren, .attaches, .answers, .followsWithBlock, .gathered: break
    case .settles, .dies, .weak: sibling.requestCancel()
    case .linked:
      sibling.requestCancel()
      _ = child.follow(root)
    case .chain, .follows:
      sibling.requestCancel()
      child.release()
    case .climbs: break
    }
  }

  /// Counts the handlers that have not been freed.
  private func onRequest(_ promise: CellRef, _ action: @escaping () -> Void) {
    live += 1
    let context = Unmanaged.passRetained(Action(action, end: { self.live -= 1 })).toOpaque()
    _ = unsafe promise.onCancelRequest(
      { context, _ in unsafe Unmanaged<Action>.fromOpaque(context!).takeUnretainedValue().body() },
      Context(context) { unsafe Unmanaged<Action>.fromOpaque($0!).takeRetainedValue().end() })
  }

  private final class Action {
    let body: () -> Void
    let end: () -> Void
    init(_ body: @escaping () -> Void, end: @escaping () -> Void) { (self.body, self.end) = (body, end) }
  }

  private func settle() { _ = root.settle(CellValue(kind: .u64, bits: 1), .fulfilled) }

  var bodies: [() -> Void] {
    switch program {
    case .handleGoes: return [{ self.child.requestCancel() }, { self.root.release() }]
    case .bothChildren: return [{ self.child.requestCancel() }, { self.sibling.requestCancel() }]
    case .settles: return [{ self.child.requestCancel() }, { self.settle() }]
    case .dies, .answers: return [{ self.child.requestCancel() }, { self.root.release() }]
    case .linked, .gathered:
      return [{ self.child.requestCancel() }, { _ = self.child.settle(CellValue(kind: .u64, bits: 1), .fulfilled) }]
    case .attaches:
      return [{ self.root.requestCancel() }, { self.onRequest(self.root) { self.attachedRequests += 1 } }]
    case .chain, .follows: return [{ self.grandchild.requestCancel() }, { self.settle() }]
    case .followsWithBlock:
      return [{ self.grandchild.requestCancel() }, { _ = self.child.follow(self.inner) }]
    case .climbs:
      return [{ self.grandchild.requestCancel() }, { self.child.release() }, { self.sibling.requestCancel() }]
    case .weak:
      let weak = WeakCell(child)
      return [
        {
          guard let child = weak.strong() else { return }
          child.requestCancel()
          child.release()
        }, { self.child.release() },
      ]
    }
  }

  func end() {
    switch program {
    case .settles, .chain, .linked, .gathered: isGrandchildSettled = grandchild.state.isSettled
    default: break
    }
    switch program {
    case .chain, .follows, .climbs, .weak: break
    default: child.release()
    }
    sibling.release()
    grandchild.release()
    if program != .dies && program != .answers { root.release() }
    inner.release()
  }

  func violations() -> [String] {
    var wrong: [String] = []
    func expect(_ isTrue: Bool, _ words: String) { if !isTrue { wrong.append(words) } }
    expect(live == 0, "\(live) handlers were not let go of")
    switch program {
    case .handleGoes, .bothChildren, .climbs: expect(rootRequests == 1, "the root was asked \(rootRequests) times")
    case .attaches:
      expect(rootRequests == 1 && attachedRequests == 1, "asked \(rootRequests) and \(attachedRequests) times")
    case .settles, .chain:
      expect(rootRequests <= 1, "the root was asked \(rootRequests) times")
      expect(isGrandchildSettled, "the grandchild waits for ever")
    case .follows, .followsWithBlock: expect(innerRequests == 1, "the inner promise was asked \(innerRequests) times")
    case .dies, .answers, .weak: expect(rootRequests <= 1, "the root was asked \(rootRequests) times")
    case .linked, .gathered:
      expect(rootRequests <= 1, "the root was asked \(rootRequests) times")
      expect(innerRequests == (program == .gathered ? rootRequests : 0), "one input of two was asked")
      expect(isGrandchildSettled, "the grandchild waits for ever")
    }
    return wrong
  }
}
