import Dispatch

private let key = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()

/// Whether the caller is on the main queue, whichever thread serves it.
package func isOnMainQueue() -> Bool { DispatchQueue.getSpecific(key: key) == true }
