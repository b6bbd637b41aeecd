/// A queue whose first element is taken in constant time, averaged over all of them.
package struct Fifo<Element> {
  /// The elements before `next` have been taken.
  private var elements: [Element?] = []
  private var next = 0

  package init() {}

  package var isEmpty: Bool { next == elements.count }
  package var count: Int { elements.count - next }

  package mutating func append(_ element: consuming Element) { elements.append(element) }

  /// Removes the last element; nil if there is none.
  package mutating func popLast() -> Element? { isEmpty ? nil : elements.removeLast() }

  /// Removes the first element; nil if there is none.
  package mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    defer {
      elements[next] = nil
      next += 1
      // Removed in bulk: each element is moved a constant number of times.
      if next > 64, next * 2 > elements.count {
        elements.removeFirst(next)
        next = 0
      }
    }
    return elements[next]
  }
}
