/// A future of both values. It ends as whichever of the two is rejected or cancelled first. A request to cancel is one of
/// both.
public func &&& <V1, V2, Failure>(
  left: Future<V1, Failure>, right: Future<V2, Failure>
) -> Future<(V1, V2), Failure> {
  let (both, resolver) = Future<(V1, V2), Failure>.makeWithResolver()
  let left: Future<V1, Failure> = left.following()
  let right: Future<V2, Failure> = right.following()
  resolver.onCancelRequest { _ in
    left.requestCancel()
    right.requestCancel()
  }
  left.whenResolved { result in
    switch result {
    case .fulfilled(let first): right.whenFulfilled { resolver.settle(.fulfilled((first, $0))) }
    case .rejected(let error): resolver.settle(.rejected(error))
    case .cancelled(let error): resolver.settle(.cancelled(error))
    }
  }
  right.whenResolved { result in
    switch result {
    case .fulfilled: break
    case .rejected(let error): resolver.settle(.rejected(error))
    case .cancelled(let error): resolver.settle(.cancelled(error))
    }
  }
  return both
}
