import Foundation
public import Promises

extension TimeoutError: CustomNSError where Failure: Error {
  /// The user info of an `NSError`: a failure reason for a timeout, otherwise the source's error and its description.
  public var errorUserInfo: [String: Any] {
    switch self {
    case .timedOut: [NSLocalizedFailureReasonErrorKey: description]
    case .rejected(let error): [NSLocalizedDescriptionKey: error.localizedDescription, NSUnderlyingErrorKey: error]
    }
  }
}
