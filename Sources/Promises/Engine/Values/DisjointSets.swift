import CPlatform

/// Sets of cells that are assumed equal: a disjoint-set forest in a hash table, keyed by cell index.
@safe
struct DisjointSets {
  private struct Entry: BitwiseCopyable {
    /// 0: the slot is free.
    var cell: UInt32
    /// A cell of the same set that is nearer to the root; the cell itself if it is the root.
    var parent: UInt32
  }

  private var table: UnsafeMutablePointer<Entry>?
  private var capacity = 0
  private var count = 0

  /// Merges the sets of two cells. False if they are in one set already; nil when memory has run out.
  mutating func unite(_ one: UInt32, _ other: UInt32) -> Bool? {
    guard count + 2 <= capacity / 2 || grow() else { return nil }
    let (root, otherRoot) = (root(of: one), root(of: other))
    guard root != otherRoot else { return false }
    unsafe table.unsafelyUnwrapped[place(of: root)].parent = otherRoot
    return true
  }

  func free() { unsafe platform_free(table) }

  private mutating func root(of cell: UInt32) -> UInt32 {
    var current = place(of: cell)
    if unsafe table.unsafelyUnwrapped[current].cell == 0 {
      unsafe table.unsafelyUnwrapped[current] = Entry(cell: cell, parent: cell)
      count += 1
    }
    while true {
      let entry = unsafe table.unsafelyUnwrapped[current]
      if entry.parent == entry.cell { return entry.cell }
      // Path halving.
      let next = place(of: entry.parent)
      unsafe table.unsafelyUnwrapped[current].parent = unsafe table.unsafelyUnwrapped[next].parent
      current = next
    }
  }

  /// The slot of a cell in the table, or the free slot for it.
  private func place(of cell: UInt32) -> Int {
    var place = Int(cell &* 0x9e37_79b1 >> 4) & (capacity - 1)
    while unsafe table.unsafelyUnwrapped[place].cell != cell && table.unsafelyUnwrapped[place].cell != 0 {
      place = (place + 1) & (capacity - 1)
    }
    return place
  }

  private mutating func grow() -> Bool {
    let old = self
    let larger = max(64, capacity * 2)
    guard let memory = unsafe calloc(larger, MemoryLayout<Entry>.stride) else { return false }
    unsafe table = unsafe memory.assumingMemoryBound(to: Entry.self)
    capacity = larger
    for place in 0..<old.capacity {
      let entry = unsafe old.table.unsafelyUnwrapped[place]
      if entry.cell != 0 { unsafe table.unsafelyUnwrapped[self.place(of: entry.cell)] = entry }
    }
    old.free()
    return true
  }
}
