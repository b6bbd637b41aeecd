import CPlatform

extension Box {
  /// The elements of an array, or the values of a map in order.
  package var elements: UnsafeMutableBufferPointer<CellValue> {
    unsafe UnsafeMutableBufferPointer(start: data?.assumingMemoryBound(to: CellValue.self), count: count)
  }

  /// Makes an ARRAY of `count` elements. Takes ownership of the elements, also when memory has run out, but not of the
  /// memory that holds them.
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
    unsafe box.memory = unsafe memory
    return box.owningValue
  }

  /// Releases the elements; the caller frees the memory.
  func freeElements() {
    for index in 0..<count { unsafe elements[index].release() }
  }

  /// Releases an array of values at any alignment.
  package static func release(_ values: UnsafeRawPointer?, count: Int) {
    guard let values = unsafe values else { return }
    for index in 0..<count {
      unsafe values.loadUnaligned(fromByteOffset: index * MemoryLayout<CellValue>.stride, as: CellValue.self).release()
    }
  }
}
