import CPlatform

extension Box {
  /// The elements of an array, or the values of a map in order.
  package var elements: UnsafeMutableBufferPointer<CellValue> {
    unsafe UnsafeMutableBufferPointer(start: data?.assumingMemoryBound(to: CellValue.self), count: count)
  }

  /// An ARRAY of `count` elements. It takes them over, also when memory has run out; the memory where they lie stays its
  /// owner's.
  package static func array(_ elements: UnsafeRawPointer?, count: Int) -> CellValue? {
    guard count > 0 else { return make(.array, count: 0, meta: 0)?.owningValue }
    let size = count.multipliedReportingOverflow(by: MemoryLayout<CellValue>.stride)
    guard !size.overflow, let memory = unsafe malloc(size.partialValue) else {
      unsafe release(elements, count: count)
      return nil
    }
    unsafe memory.copyMemory(from: elements.unsafelyUnwrapped, byteCount: size.partialValue)
    guard let box = make(.array, count: count, meta: 0) else {
      unsafe platform_free(memory)
      unsafe release(elements, count: count)
      return nil
    }
    unsafe box.ref.cell.pointee.context = unsafe memory
    return box.owningValue
  }

  /// Gives back the elements' references; the memory is the caller's to free.
  func freeElements() {
    for index in 0..<count { unsafe elements[index].release() }
  }

  /// Gives back the references of values that lie one after the other, at any address.
  package static func release(_ values: UnsafeRawPointer?, count: Int) {
    guard let values = unsafe values else { return }
    for index in 0..<count {
      unsafe values.loadUnaligned(fromByteOffset: index * MemoryLayout<CellValue>.stride, as: CellValue.self).release()
    }
  }
}
