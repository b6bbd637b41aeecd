/// A queue between threads; receiving blocks until there is an element.
package final class Channel<Element>: Sendable {
  private let elements = Monitor<[Element]>([])

  package init() {}

  package func send(_ element: Element) { elements.withLock { $0.append(element) } }

  package func receive() -> Element { elements.wait { $0.isEmpty ? nil : $0.removeFirst() } }
}
