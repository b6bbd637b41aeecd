import CPlatform

/// A stack on the heap, which replaces recursion for values that may be nested a million deep. Unlike an `Array` it
/// reports when memory has run out.
@safe
struct RawStack<Element: BitwiseCopyable> {
  private(set) var start: UnsafeMutablePointer<Element>?
  private(set) var count = 0
  private var capacity = 0

  var isEmpty: Bool { count == 0 }

  subscript(index: Int) -> Element {
    get { unsafe start.unsafelyUnwrapped[index] }
    set { unsafe start.unsafelyUnwrapped[index] = newValue }
  }

  /// False when memory has run out.
  mutating func push(_ element: Element) -> Bool {
    if count == capacity {
      let larger = max(16, capacity * 2)
      guard let memory = unsafe realloc(start, larger * MemoryLayout<Element>.stride) else { return false }
      unsafe start = unsafe memory.assumingMemoryBound(to: Element.self)
      capacity = larger
    }
    unsafe start.unsafelyUnwrapped[count] = element
    count += 1
    return true
  }

  mutating func pop() -> Element {
    count -= 1
    return unsafe start.unsafelyUnwrapped[count]
  }

  mutating func truncate(to count: Int) { self.count = count }

  /// Frees the memory, but not resources of the elements.
  func free() { unsafe platform_free(start) }
}
