import CPlatform

/// A cache of recent keys: records of the same form share their keys, each of which is a cell.
@safe
struct JSONKeys {
  private var recent: UnsafeMutablePointer<CellValue>?
  private static var places: Int { 64 }

  /// Returns a cached key with these bytes, or a new one. Nil when memory has run out.
  mutating func key(_ bytes: UnsafeRawBufferPointer) -> CellValue? {
    if unsafe recent == nil {
      guard let memory = unsafe calloc(JSONKeys.places, MemoryLayout<CellValue>.stride) else { return nil }
      unsafe recent = unsafe memory.assumingMemoryBound(to: CellValue.self)
    }
    let place = unsafe recent.unsafelyUnwrapped + JSONKeys.place(bytes)
    if let known = unsafe same(place.pointee, bytes), known.retain() { return known }
    guard let key = unsafe Box.bytes(.string, bytes) else { return nil }
    guard key.retain() else { return key }
    let replaced = unsafe place.pointee
    unsafe place.pointee = key
    if replaced.kind != 0 { replaced.release() }
    return key
  }

  func free() {
    guard let recent = unsafe recent else { return }
    for place in 0..<JSONKeys.places where unsafe recent[place].kind != 0 { unsafe recent[place].release() }
    unsafe platform_free(recent)
  }

  private func same(_ key: CellValue, _ bytes: UnsafeRawBufferPointer) -> CellValue? {
    guard key.kind != 0 else { return nil }
    let known = unsafe Box(key.owner).bytes
    guard known.count == bytes.count else { return nil }
    guard let one = known.baseAddress, let other = bytes.baseAddress else { return key }
    return unsafe memcmp(one, other, bytes.count) == 0 ? key : nil
  }

  /// Hashes a few bytes only: a miss costs no more than having no cache.
  private static func place(_ bytes: UnsafeRawBufferPointer) -> Int {
    var mixed = bytes.count
    if let last = unsafe bytes.last {
      mixed = unsafe mixed &* 31 &+ Int(last) &* 17 &+ Int(bytes[0]) &+ Int(bytes[bytes.count / 2]) &* 5
    }
    return mixed & (places - 1)
  }
}
