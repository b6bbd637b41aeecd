import PromisesTestSupport
import Testing

@testable import Promises

@Suite("Engine: promises that are asked to cancel")
struct Requests {
  private final class Recorder {
    var reasons: [UInt64] = []
  }

  private let recorder = Recorder()

  private func record(_ cell: CellRef) {
    _ = unsafe cell.onCancelRequest(
      { context, reason in
        let recorder = unsafe Unmanaged<Recorder>.fromOpaque(context!).takeUnretainedValue()
        unsafe recorder.reasons.append(reason.load(as: CellValue.self).bits)
      }, Context(Unmanaged.passRetained(recorder).toOpaque()) { unsafe Unmanaged<Recorder>.fromOpaque($0!).release() })
  }

  @Test("A reason propagates with the request, and to handlers that are attached later")
  func reasons() {
    let root = CellRef.promise()!
    let child = root.react { _, _, _ in .pass }!
    record(root)
    child.requestCancel(CellValue(kind: .u64, bits: 5))
    #expect(recorder.reasons == [5])
    record(root)
    #expect(recorder.reasons == [5, 5])
    child.release()
    root.release()
  }

  @Test("A request on a promise that its closure left pending does not reach the former source")
  func left() {
    let source = CellRef.promise()!
    let child = source.react { _, _, _ in .leave }!
    _ = child.retain()
    _ = source.settle(CellValue(kind: .u64, bits: 1), .fulfilled)
    source.release()
    // One of these promises reuses the cell of the source.
    let others = (0..<100).map { _ in CellRef.promise()! }
    child.requestCancel()
    #expect(others.allSatisfy { !$0.isCancelRequested })
    for other in others { other.release() }
    child.release()
    child.release()
  }

  @Test("A request propagates up a chain of a million promises, and so does the last release")
  func depth() {
    let root = CellRef.promise()!
    record(root)
    var end = root
    for _ in 0..<Scale.million {
      let next = end.react { _, _, _ in .pass }!
      if end != root { end.release() }
      end = next
    }
    end.requestCancel()
    #expect(recorder.reasons.count == 1)
    end.release()
    root.release()
  }

  @Test("Requests on a million children, one by one, take linear time", arguments: [true, false])
  func width(reversed: Bool) {
    let root = CellRef.promise()!
    record(root)
    var children = (0..<Scale.million).map { _ in root.react { _, _, _ in .pass }! }
    if reversed { children.reverse() }
    for child in children.dropLast() { child.requestCancel() }
    #expect(recorder.reasons.isEmpty)
    children.last!.requestCancel()
    #expect(recorder.reasons.count == 1)
    for child in children { child.release() }
    root.release()
  }

  @Test("A cancelled promise has the cause that it was cancelled with")
  func cause() {
    let promise = CellRef.promise()!
    let error = Fault.closed.value
    _ = promise.settle(.discarded(because: error), .rejected)
    #expect(promise.isCancelRequested)
    #expect(promise.value.discardCause?.kind == ValueKind.error.rawValue)
    #expect(Promise<Int>(cell: promise).rejectReason as? Discarded == .discarded)
  }
}
