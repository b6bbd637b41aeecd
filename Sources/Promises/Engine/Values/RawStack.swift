import CPlatform

/// A stack in memory of its own, in place of the thread's: what nests a million deep takes no recursion. Unlike an
/// `Array` it says when memory has run out.
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

  /// False for want of memory.
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

  @discardableResult
  mutating func pop() -> Element {
    count -= 1
    return unsafe start.unsafelyUnwrapped[count]
  }

  mutating func truncate(to count: Int) { self.count = count }

  /// Gives the memory back. What the elements own is their pusher's.
  func free() { unsafe platform_free(start) }
}
