import Promises

/// The body of a `call` frame: an array of the number of the function, the depth, the lane, whether the result stays,
/// and three values for each argument. It is read without a value for the whole.
struct IncomingCall {
  let function: UInt64
  let depth: UInt64
  let lane: UInt64
  let stays: Bool
  let arguments: [Argument]

  /// Reads the encoding of a body, which refers to blocks of `memory` and to `files`. The closures make promises and
  /// callbacks from their numbers. `nil` if it does not begin as the body of a call.
  ///
  /// - Throws: `FrameError` if the bytes are not CBOR, or an argument has an unknown form.
  init?(
    _ encoding: ArraySlice<UInt8>, _ memory: [SharedBytes], _ files: [OpenFile],
    promise: (ArgumentCoder.GivenPromise) -> Promise<PluginValue>, callback: (UInt64) -> PluginCallback
  ) throws(FrameError) {
    let read = encoding.withUnsafeBytes { bytes -> Result<IncomingCall?, FrameError> in
      do {
        return .success(try IncomingCall(bytes, memory, files, promise, callback))
      } catch let error as FrameError {
        return .failure(error)
      } catch {
        return .failure(FrameError(description: "a frame of the kind 'call' with a body that is not a value: \(error)"))
      }
    }
    guard let call = try read.get() else { return nil }
    self = call
  }

  private init?(
    _ bytes: UnsafeRawBufferPointer, _ memory: [SharedBytes], _ files: [OpenFile],
    _ promise: (ArgumentCoder.GivenPromise) -> Promise<PluginValue>, _ callback: (UInt64) -> PluginCallback
  ) throws {
    var decoder = CBORDecoder(bytes, memory: memory, files: files)
    guard let count = try decoder.arrayCount(), count >= 4, let function = try decoder.unsigned(),
      let depth = try decoder.unsigned(), let lane = try decoder.unsigned(), let stays = try decoder.bool()
    else { return nil }
    arguments = try ArgumentCoder.decode(&decoder, count - 4, memory: memory, promise: promise, callback: callback)
    try decoder.end()
    (self.function, self.depth, self.lane, self.stays) = (function, depth, lane, stays)
  }
}
