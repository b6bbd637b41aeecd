import Foundation
public import Promises

extension TimeoutError: CustomNSError where Failure: Error {
  /// What an `NSError` says of it: a failure reason, or the error that was waited for with its description.
  public var errorUserInfo: [String: Any] {
    switch self {
    case .timedOut: [NSLocalizedFailureReasonErrorKey: description]
    case .rejected(let error): [NSLocalizedDescriptionKey: error.localizedDescription, NSUnderlyingErrorKey: error]
    }
  }
}
