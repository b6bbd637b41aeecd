/// Parameters that are fields of a struct: `at ptr<z_stream> {...}`.
extension GeneralCall {
  /// A word of an object, as it was before the call: addresses of arguments do not stay in the object.
  typealias Lent = (field: UnsafeMutableRawPointer, size: Int, bits: UInt64)

  /// Stores the fields in the struct. Returns the addresses and counts that an object had there.
  func writeFields() -> [Lent] {
    var lent: [Lent] = []
    for index in 0..<plan.slotCount {
      let slot = plan.slots + index
      guard let field = field(slot) else { continue }
      let isOfObject = !plan.slots[slot.pointee.place?.owner ?? 0].parameter.isFieldsAlone
      let isCount = (0..<plan.slotCount).contains { plan.slots[$0].count == index && plan.slots[$0].place != nil }
      if isOfObject, slot.pointee.areElements || slot.pointee.parameter.type.isAddress || isCount {
        var bits: UInt64 = 0
        withUnsafeMutableBytes(of: &bits) {
          $0.copyMemory(from: UnsafeRawBufferPointer(start: field.at, count: field.size))
        }
        lent.append((field.at, field.size, bits))
      }
      // A number that the object has there already is only read: a counter of all bytes.
      if isOfObject, slot.pointee.parameter.direction == .output, !slot.pointee.areElements { continue }
      field.at.copyMemory(from: field.cell, byteCount: field.size)
    }
    return lent
  }

  /// Loads the fields that the function may have changed.
  func readFields() {
    for index in 0..<plan.slotCount {
      let slot = plan.slots + index
      guard let field = field(slot) else { continue }
      // Only a `moving` address has a meaning afterwards.
      let isRead = slot.pointee.areElements ? slot.pointee.cursor != nil : slot.pointee.parameter.direction != .input
      if isRead { field.cell.copyMemory(from: field.at, byteCount: field.size) }
    }
  }

  /// Replaces the addresses of the call's memory in an object by those that it had before.
  func restoreFields(_ lent: [Lent]) {
    for (field, size, bits) in lent {
      withUnsafeBytes(of: bits) { field.write(UnsafeRawBufferPointer(rebasing: $0[..<size])) }
    }
  }

  /// Returns the places of a field's value, in the struct and in the frame, and its size; `nil` for a parameter of C's
  /// function.
  private func field(_ slot: Slot) -> (at: UnsafeMutableRawPointer, cell: UnsafeMutableRawPointer, size: Int)? {
    guard let place = slot.pointee.place else { return nil }
    let owner = plan.slots[place.owner]
    // The slot of the owner has its address.
    guard let structure = (frame + owner.offset).load(as: UnsafeMutableRawPointer?.self) else { return nil }
    let size = TypeLayout(of: slot.pointee.parameter.type)?.size ?? 0
    let cell = slot.pointee.cursor ?? slot.pointee.cell ?? slot.pointee.offset
    return (structure + place.offset, frame + cell, size)
  }
}
