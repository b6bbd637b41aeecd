import Testing

@testable import PluginRuntime

@Suite struct FifoTests {
  private final class Item {
    let number: Int

    init(_ number: Int) { self.number = number }
  }

  @Test("elements are taken in their order, and released then")
  func order() throws {
    var fifo = Fifo<Item>()
    weak var last: Item?
    var (added, taken) = (0, 0)
    // Grows, shrinks to nothing, and grows again: more is added than taken in turn, then the other way round.
    for (adds, takes) in [(300, 0), (7, 90), (90, 7), (0, 390), (200, 200)] {
      for _ in 0..<adds {
        fifo.append(Item(added))
        added += 1
      }
      for _ in 0..<takes {
        let item = fifo.popFirst()
        guard let item else { break }
        #expect(item.number == taken)
        taken += 1
        last = item
      }
      #expect(last == nil)
      #expect(fifo.isEmpty == (added == taken))
    }
    while let item = fifo.popFirst() {
      #expect(item.number == taken)
      taken += 1
    }
    #expect(added == taken && fifo.isEmpty)
  }
}
